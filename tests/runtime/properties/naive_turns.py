"""The naive model's turns: what a message, a reply, results, failures and the close of a turn do to it."""

from __future__ import annotations

from naive import CALL, ENDING, PATCH, USER, Deed, Naive, Piece, Queued
from spots import is_within

from dcc.compiler.program import Rule
from dcc.grammar.ast import OPEN, Bound


class Turns(Naive):
    """A naive model that can be taken through turns."""

    def begin(self, text: str) -> None:
        """A turn begins: what lands, what ends, the message."""
        self.saved = self.copy()
        self.settled = []
        self.turn += 1
        self.call = 0
        self.is_open = True
        self.unsaid = True
        born, renewed = self._land()
        ended: set[str] = set()
        while self._end_waiting() or self._end_patches(renewed, ended):
            pass
        born.append(self.bear("user", text, USER))
        for piece in born:
            self.govern(piece)

    def _land(self) -> tuple[list[Piece], set[str]]:
        newest: dict[str, Queued] = {}
        for patch in sorted(self.queue, key=lambda q: q.number):
            if patch.at <= self.turn:
                if patch.element in newest:
                    self.queue.remove(newest[patch.element])
                newest[patch.element] = patch
        born: list[Piece] = []
        for patch in sorted(newest.values(), key=lambda q: q.number):
            for element in (patch.element, patch.element + "_end"):
                if patch.mode != "remain" or element != patch.element:
                    self._end_now(element)
            start = Bound("turn", self.turn)
            own_end = self.rule_of(patch.element).end
            if patch.mode == "roll":
                rule = Rule(start, start)
            elif patch.turns is None:
                rule = Rule(start, own_end if own_end.is_event else OPEN)
            else:
                rule = Rule(start, Bound("turn", self.turn + patch.turns - 1))
            born.append(self.bear(patch.element, patch.text, PATCH, rule=rule))
            rolls_on = patch.mode == "roll" and (patch.turns is None or self.turn < patch.at + patch.turns - 1)
            if not rolls_on:
                self.queue.remove(patch)
        return born, set(newest)

    def _end_now(self, element: str) -> None:
        for piece in self.pieces.values():
            if piece.element == element and self.on(piece, self.moment()):
                for window in piece.windows:
                    if window.last is None or (window.last[0] == "turn" and window.last[1] >= self.turn):
                        window.last = ("turn", self.turn - 1)

    def _end_waiting(self) -> bool:
        """What waits for the end of an element ends when nothing of that is on stage."""
        over = [
            p
            for p in self.pieces.values()
            if p.rule.end.kind == "until_end"
            and p.turn < self.turn
            and any(w.last is None for w in p.windows)
            and not self.any_on(p.rule.end.element)
        ]
        for window in (w for p in over for w in p.windows):
            window.last = window.last or ("turn", self.turn - 1)
        return bool(over)

    def _end_patches(self, renewed: set[str], ended: set[str]) -> bool:
        if self.program.ending_template is None:
            return False
        found = False
        patched = [p for p in self.pieces.values() if p.phase == PATCH and p.turn > 0]
        elements = {p.element for p in patched}
        for element in (e for e in dict.fromkeys(p.element for p in self.pieces.values()) if e in elements):
            if element in ended or element.endswith("_end") or self.any_on(element):
                continue
            if element in renewed or element + "_end" in renewed:
                continue
            lasts = [self._last_turn(p) for p in patched if p.element == element]
            if None in lasts or max(last for last in lasts if last is not None) != self.turn - 1:
                continue
            found = True
            ended.add(element)
            only = Bound("turn", self.turn)
            ending = self.bear(f"{element}_end", "", ENDING, rule=Rule(only, only))
            self._collapse(element, ending)
        return found

    def _last_turn(self, piece: Piece) -> int | None:
        """The last turn that the piece's rule gave it; None when that is not known yet."""
        last = -1
        for window in piece.windows:
            if window.last is None:
                return None
            if window.start[0] == window.last[0] and window.last[1] < window.start[1]:
                continue
            last = max(last, self.turn_at(window.last))
        return last

    def _collapse(self, element: str, ending: Piece) -> None:
        fields = self.program.folds
        if fields is None or element in fields:
            return
        first = min(p.turn for p in self.pieces.values() if p.element == element)
        chain = ("toolCall", "toolResult") if "assistant" in fields else ()
        folded = [
            p
            for p in self.pieces.values()
            if (p.element in fields or (p.element in chain and p.phase == CALL))
            and max(first, 1) <= p.turn < self.turn
            and not p.element.startswith("pin_")
            and not p.element.endswith("_end")
            and not p.kept
            and not self.over(p, self.moment())
        ]
        for piece in folded:
            piece.holds.add(ending.id)
        if folded:
            self.deeds.append(Deed([("hold", p, ending.id) for p in folded]))

    # Calls

    def settle(self) -> None:
        """Before a request goes out, what is due leaves."""
        due = [] if self.in_flight else self.due()
        if due:
            if self.unsaid:
                self.settled.append([p.id for p in due])
            self._retire(due)

    def _retire(self, due: list[Piece]) -> None:
        spot = ("call", self.ordinal)
        going = [(p, w) for p in due for w in p.windows if is_within(w, self.moment())]
        self.deeds.append(Deed([("last", p, w, w.last, spot) for p, w in going]))
        for _, window in going:
            window.last = spot

    def staying(self) -> list[str]:
        """The ids that one more request would hold, what is due left out, with the results of due calls."""
        going = {p.id for p in self.due() if not self.is_answered(p)}
        return [
            s.slot
            for s in self.visible(self.next)
            if s.on_stage and s.slot not in going and self.pieces[s.slot].answers not in going
        ]

    def ask(self) -> None:
        """The request goes out."""
        self.held[self.ordinal + 1] = self.visible(self.ordinal + 1)
        self.in_flight = True

    def reply(self, thinking: bool, text: str, calls: list[str]) -> None:
        """The reply to the request that has gone out; ``calls`` are the texts of its tool calls."""
        self.in_flight = False
        self.unsaid = False
        self.saved = None
        pieces = [("think", "")] * thinking
        if text or not calls:
            pieces.append(("assistant", text))
        self.calls = ["?"]
        born = [
            self.bear(element, body, CALL, call=self.call + 1, seq=seq, looped=bool(calls))
            for seq, (element, body) in enumerate([*pieces, *(("toolCall", c) for c in calls)])
        ]
        self.reply_size = len(born)
        self.order = self.calls = [p.id for p in born if p.element == "toolCall"]
        if not calls:
            self._complete()

    def result(self, at: int, text: str) -> None:
        """The result of the ``at``-th tool call that still waits for one."""
        call = self.calls[at]
        seq = self.reply_size + self.order.index(call)
        self.bear("toolResult", text, CALL, call=self.call + 1, seq=seq, answers=call)
        self.calls = [c for c in self.calls if c != call]
        if not self.calls:
            self._complete()

    def _complete(self) -> None:
        self.call += 1
        self.ordinal += 1
        self.turn_of.append(self.turn)

    def close_turn(self, interrupted: str = "") -> None:
        """The turn is committed or interrupted; calls without a result get one that says so."""
        while self.calls:
            self.result(0, interrupted)
        self.is_open = False
        self.in_flight = False

    def fail(self, *, died: bool) -> None:
        """A request got no reply. Of a turn that has none nothing is left, but (unless the process died) what
        was settled in it."""
        self.in_flight = False
        if not self.unsaid:
            return
        settled = self.settled
        assert self.saved is not None
        self.__dict__ = self.saved.__dict__
        # What was settled was so in the turn that is taken back.
        self.turn += 1
        for ids in () if died else settled:
            self._retire([self.pieces[i] for i in ids])
        self.turn -= 1
