"""The naive model's controls: keeps, pins, closes, rule patches and undo."""

from __future__ import annotations

from typing import Any

from naive import AFTER_RESULTS, BETWEEN, CALL, Deed, Piece, Queued
from naive_turns import Turns
from spots import Spot, Window, end_of, passed, reached

from dcc.compiler.program import Rule
from dcc.grammar.ast import OPEN


class Model(Turns):
    """The whole naive model."""

    def _do(self, changes: list[tuple[Any, ...]]) -> None:
        if changes:
            self.deeds.append(Deed(changes))

    def chain(self, piece: Piece) -> list[Piece]:
        """The piece, and the other half of its chain."""
        return [
            p for p in self.pieces.values()
            if p is piece or p.answers == piece.id or p.id == piece.answers
        ]  # fmt: skip

    def keep(self, pieces: list[Piece], kept: bool) -> None:
        """Keep these, or give them back."""
        changed = [p for p in pieces if p.kept != kept]
        self._do([("keep", p, p.kept) for p in changed])
        for piece in changed:
            piece.kept = kept

    def close(self, piece: Piece) -> None:
        """Off stage from the next request on."""
        spot = self.gone
        going = [w for w in piece.windows if w.last is None or not passed(w.last, self.moment())]
        self._do([("last", piece, w, w.last, spot) for w in going])
        for window in going:
            window.last = spot

    def reopen(self, piece: Piece) -> None:
        """Back, up to its rule's end, or to the window that is still to come."""
        end = end_of(piece.rule.end, piece.turn)
        ahead = [
            w.start[1]
            for w in piece.windows
            if w.start[0] == "turn"
            and w.start[1] > self.coming()[0]
            and (w.last is None or (w.last[0] == "turn" and w.last[1] >= w.start[1]))
        ]
        if ahead and (end is None or end[1] >= min(ahead)):
            end = ("turn", min(ahead) - 1)
        window = Window(("call", self.next), end)
        piece.windows.append(window)
        self._do([("window", piece, window)])

    def represent(self, piece: Piece, how: str) -> None:
        """Another representation from the next request on."""
        self._do([("how", piece, piece.how)])
        self._shape(piece, how)

    def _shape(self, piece: Piece, how: str) -> None:
        """What is made full again is not due again."""
        piece.how = how
        if how == "full":
            self.spare(piece)

    def spare(self, piece: Piece) -> None:
        """What is brought back is not due again."""
        piece.spared = True

    def cancel(self, piece: Piece) -> None:
        """A pin is over for good."""
        piece.cancelled = True
        self._do([("cancel", piece)])

    def entry(self, element: str, text: str) -> Piece:
        """A slot of the host's, or a pin: after all that is there."""
        if self.is_open:
            call = self.call + self.is_sent
            return self.bear(element, text, CALL, call=call, seq=AFTER_RESULTS)
        return self.bear(element, text, BETWEEN)

    def queue_patch(self, element: str, text: str, mode: str, turns: int | None, at: int) -> None:
        """A content patch waits for its turn; one for the same turn is replaced."""
        self.queue = [q for q in self.queue if (q.element, q.at) != (element, at)]
        self.queued += 1
        self.queue.append(Queued(self.queued, element, text, mode, turns, at))

    def end(self, target: str) -> None:
        """/dc-end: over with this turn."""
        changes: list[tuple[Any, ...]] = []
        for piece in self.pieces.values():
            if target in (piece.element, piece.id):
                for window in self.running(piece, self.turn) or self.future(piece):
                    if window.last is None or (window.last[0] == "turn" and window.last[1] > self.turn):
                        changes.append(("last", piece, window, window.last, ("turn", self.turn)))
                        window.last = ("turn", self.turn)
        changes += [("queued", f"patch {q.number}", q) for q in self.queue if q.element == target]
        self.queue = [q for q in self.queue if q.element != target]
        self._do(changes)

    def ends(self, target: str) -> bool:
        """Whether /dc-end has something to end."""
        return any(q.element == target for q in self.queue) or any(
            w.last is None or (w.last[0] == "turn" and w.last[1] > self.turn)
            for p in self.pieces.values()
            if target in (p.element, p.id)
            for w in self.running(p, self.turn) or self.future(p)
        )

    def coming(self) -> tuple[int, int]:
        """The turn and the ordinal of the next request that will really go out."""
        return (self.turn if self.is_open else self.turn + 1, self.next)

    def running(self, piece: Piece, turn: int) -> list[Window]:
        """The window over a turn, unless a call ended it."""
        for w in piece.windows:
            begun = w.start[0] == "call" or w.start[1] <= turn
            if begun and (w.last is None or (w.last[0] == "turn" and w.last[1] >= turn)):
                return [w]
        return []

    def future(self, piece: Piece) -> list[Window]:
        """The last window, if it is still to come."""
        return [w for w in piece.windows[-1:] if w.start[0] == "turn" and w.start[1] > self.turn]

    def patch_rule(self, element: str, rule: Rule, mode: str) -> None:
        """A rule patch; it acts from the turn after the one at hand."""
        changes: list[tuple[Any, ...]] = [("rule", element, self.rules.get(element))]
        self.rules[element] = rule
        own = rule
        if rule.end.kind == "until_end" and not self.any_on(rule.end.element):
            own = Rule(rule.start, OPEN)
        for piece in [p for p in self.pieces.values() if p.element == element]:
            running = self.running(piece, self.turn)
            if mode == "force_refresh":
                changes.append(("copied", piece, piece.rule))
                piece.rule, piece.spared = own, False
                end = end_of(rule.end, piece.turn)
                last = end and ("turn", max(end[1], self.turn))
            elif mode == "reset_from_now":
                last = ("turn", self.turn)
            else:
                continue
            for w in running:
                if w.last != last and (mode == "force_refresh" or w.last is None or w.last[1] > self.turn):
                    changes.append(("last", piece, w, w.last, last))
                    w.last = last
        self._do(changes)

    # Undo

    def _give_back(self, piece: Piece, window: Window, was: Spot | None, now: Spot | None) -> None:
        """Give a window its end back; a slot that requests were without, and that would be over, stays off."""
        gone = (self.turn_at(self.gone), self.gone[1])
        if now and passed(now, gone) and was and passed(was, self.coming()):
            return
        window.last = self.gone if was and passed(was, gone) else was
        if now and passed(now, self.coming()):
            self.spare(piece)

    def _take_away(self, piece: Piece, window: Window) -> None:
        """Take an added window away; one that a request has used ends with the last that did."""
        if not reached(window.start, (self.turn_at(self.gone), self.gone[1])):
            piece.windows.remove(window)
        elif window.last is None or not passed(window.last, self.moment()):
            window.last = self.gone

    def _requeue(self, patch: Queued) -> None:
        """A patch that was dropped is due again, unless all turns of a roll have passed."""
        coming = self.turn + 1
        if patch.mode == "roll":
            if patch.turns is not None and patch.at + patch.turns <= coming:
                return
        else:
            patch = patch._replace(at=max(patch.at, coming))
        self.queue = sorted([*self.queue, patch], key=lambda q: q.number)

    def left(self) -> list[int]:
        """The transactions that can still be undone, oldest first."""
        return [i for i, deed in enumerate(self.deeds) if not deed.undone]

    def blocked(self, at: int) -> bool:
        """Whether a later transaction changed something of this one."""
        touched = self.deeds[at].touched()
        return any(not d.undone and touched & d.touched() for d in self.deeds[at + 1 :])

    def undo(self, at: int) -> None:
        """Take one transaction back, from the next request on."""
        deed = self.deeds[at]
        deed.undone = True
        for kind, subject, *rest in reversed(deed.changes):
            match kind:
                case "hold":
                    subject.holds.discard(rest[0])
                    self.spare(subject)
                case "cancel":
                    subject.cancelled = False
                    self.spare(subject)
                case "keep":
                    subject.kept = rest[0]
                case "how":
                    self._shape(subject, rest[0])
                case "copied":
                    subject.rule = rest[0]
                case "window":
                    self._take_away(subject, rest[0])
                case "queued":
                    self._requeue(rest[0])
                case "last" if rest[0].last == rest[2]:
                    self._give_back(subject, *rest)
                case "rule" if rest[0] is None:
                    del self.rules[subject]
                case "rule":
                    self.rules[subject] = rest[0]
