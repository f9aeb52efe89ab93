"""The naive model's retirement, by brute force: before each request every slot is asked whether it is due.

Written from language.md section 2 (key and touch, retire, settle). There are no hints and no lists that are kept:
what is due is found anew, and a break is found by comparing two requests.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from naive import CALL, REPLY, Deed, Piece, Seen
from naive_births import Births, retires_the_old
from naive_rows import MARKER, OFF_STAGE, Item, is_longer
from spots import is_within

from dcc.compiler.program import ElementRow, Program
from dcc.runtime.kernel.content import Call
from dcc.runtime.kernel.tokens import count_tokens

Unit = tuple[int, ...]


class Part(NamedTuple):
    """A message, or for anthropic a block: its unit, what it looks like, its tokens."""

    unit: Unit
    looks: tuple[Any, ...]
    tokens: int


class Retiring(Births):
    """The whole naive model, under rows that retire and a ruleset that settles."""

    def __init__(self, program: Program, folder: str, format: str) -> None:
        super().__init__(program, folder)
        self.own_format = format
        #: The format of the last request that this process has made, or is making.
        self.format = "openai"
        self.settled_at = 0

    # What is due

    def due(self) -> list[Piece]:
        """The slots whose time has come and that nothing spares, by position."""
        return sorted((i for i in self.items() if self._is_due(i)), key=lambda i: i.place)

    def _is_due(self, item: Item) -> bool:
        return (
            self._stands(item)
            and (item.row.retire == "drop" or not self.is_answered(item))
            and (self._is_over(item) or self._is_crowded_out(item))
            and not item.is_small
            and self._was_read(item)
            and any(is_within(w, self.moment()) for w in item.windows)
            and not item.kept
            and not is_spared(item, item)
            and any(self._shrinks(i, item) and not is_spared(i, item) for i in self._chain(item))
        )

    def _chain(self, item: Item) -> list[Item]:
        """The slots that retire with it: itself, and under a chain's row its call."""
        return [item, self.item(item.answers)] if item.row.of == "chain" and item.answers else [item]

    def _stands(self, item: Item) -> bool:
        """Whether it is on stage with something left to retire."""
        return self.on(item, self.moment()) and (item.how == "full" or item.row.retire == "drop")

    def _is_over(self, item: Item) -> bool:
        row, end, (turn, ordinal) = item.row, item.rule.end, self.moment()
        waits = end.kind == "until_superseded" and retires_the_old(row)
        first = self.first(item)
        newer = any(
            i.row.name == row.name and i.key == item.key and i.place[4] > first.place[4] and i.replaces is None
            for i in self.items()
        )
        if newer and (row.supersede or waits) and (row.key is None or item.key is not None):
            return row.supersede or not self._is_among_last(item)
        if self._is_among_last(item):
            return False
        since, call = item.touch if end.kind == "idle" else (item.turn, item.first - 1)
        if end.kind in ("idle", "born") and end.unit == "calls":
            return ordinal > call + end.n
        if end.kind == "idle" or (end.kind == "born" and item.retires_by_turns):
            return turn > since + end.n
        return end.kind == "turn" and item.retires_by_turns and turn > end.n

    def _line(self, item: Item) -> list[Item]:
        """What a floor or a ceiling counts: all of the row with something to retire, but for small ones."""
        return [i for i in self.items() if i.row.name == item.row.name and not i.is_small and self._stands(i)]

    def _is_among_last(self, item: Item) -> bool:
        return bool(item.row.keep_last) and item in self._line(item)[-item.row.keep_last :]

    def _is_crowded_out(self, item: Item) -> bool:
        return item.row.at_most is not None and item not in self._line(item)[-item.row.at_most :]

    def _was_read(self, item: Item) -> bool:
        """Whether a request that was answered has held it."""
        return any(Seen(item.id, how, True) in self.held[o] for o in range(1, self.ordinal + 1) for how in HOWS)

    def _shrinks(self, item: Item, subject: Item) -> bool:
        """Whether the subject's row makes the item any smaller."""
        if subject.row.retire == "drop":
            return True
        if item.how != "full":
            return False
        if item.element == "toolCall":
            return bool(item.long_arguments(subject.row))
        return item.stand_in(subject.row.retire) is not None

    def first(self, item: Item) -> Item:
        """The first slot in the item's place: one that was replaced, or itself. A replacement is no newer slot."""
        return item if item.replaces is None else self.first(self.item(item.replaces))

    # When it is time

    def time(self) -> list[Piece]:
        """All that is due if the next request settles, else nothing."""
        due, settle = self.due(), self.program.settle
        if not due or settle is None:
            return due
        tokens = sum(self.item(p.id).tokens for p in due)
        if self.ordinal - self.settled_at >= settle.every and tokens >= settle.min_tokens:
            return due
        broken = self._break()
        return due if broken is not None and broken <= unit_of(due[0]) else []

    def _break(self) -> Unit | None:
        """The unit at which the next request differs from the last answered one, if it is no continuation."""
        before = self.parts(self.held.get(self.ordinal, []), self.format)
        after = self.parts(self.visible(self.ordinal + 1), self.format)
        same = alike(before, after)
        return after[same].unit if same < min(len(before), len(after)) else None

    def settle(self) -> None:
        """Before a request goes out, what is due leaves, if it is time."""
        self.format = self.own_format
        due = [] if self.in_flight else self.time()
        if due:
            if self.unsaid:
                self.settled.append([p.id for p in due])
            self._retire(due)

    def _retire(self, due: list[Piece]) -> None:
        deed = Deed([])
        for item in (self.item(p.id) for p in due):
            for one in self._chain(item):
                if item.row.retire == "drop":
                    for window in (w for w in one.windows if is_within(w, self.moment())):
                        deed.changes.append(("last", one, window, window.last, ("call", self.ordinal)))
                        window.last = ("call", self.ordinal)
                elif self._shrinks(one, item) and (one is item or self.on(one, self.moment())):
                    deed.changes.append(("how", one, "full"))
                    one.how = "stub" if one is item and item.row.retire == "stub" else "ref"
        self.deeds.append(deed)
        self.settled_at = self.ordinal

    def staying(self) -> list[str]:
        """The ids that one more request would hold."""
        leaving = (self.item(p.id) for p in self.time() if not self.is_answered(p))
        going = {one.id for item in leaving if item.row.retire == "drop" for one in self._chain(item)}
        return [
            s.slot
            for s in self.visible(self.next)
            if s.on_stage and s.slot not in going and self.pieces[s.slot].answers not in going
        ]

    # Requests

    def visible(self, ordinal: int) -> list[Seen]:
        """What the request with this ordinal holds, in order: a past one as it went out, or the next."""
        if ordinal in self.held and ordinal < self.next:
            return self.held[ordinal]
        moment = (self.turn, ordinal)
        seen: list[Seen] = []
        for item in sorted(self.items(), key=lambda i: i.place):
            if self.on(item, moment):
                seen.append(Seen(item.id, self.shown(item), True))
            elif item.answers is not None and ordinal >= item.first and self.on(self.pieces[item.answers], moment):
                seen.append(Seen(item.id, "stub", False))
        return seen

    def shown(self, item: Item) -> str:
        """How a slot on stage is rendered: what would not get shorter is full."""
        if item.how == "full":
            return "full"
        if item.element == "toolCall":
            return "ref" if item.long_arguments(self.row_of_chain(item)) else "full"
        return item.how if item.stand_in(item.how) is not None else "full"

    def row_of_chain(self, call: Item) -> ElementRow:
        """The row that a call follows when it is reduced: the one that took its result, or its own."""
        return next((i.row for i in self.items() if i.answers == call.id and i.row.of == "chain"), call.row)

    def body(self, seen: Seen) -> Any:
        """What a request shows of a slot."""
        item = self.item(seen.slot)
        if seen.how == "full":
            return item.content
        if item.element == "toolCall":
            long = item.long_arguments(self.row_of_chain(item))
            return (Call("", item.tool, {k: MARKER if v in long else v for k, v in item.args.items()}),)
        return item.stand_in(seen.how) or next(text for text in OFF_STAGE if not is_longer(text, item.text))

    def tokens(self, seen: Seen) -> int:
        """The tokens that a slot has in a request."""
        return count_tokens(self.body(seen))

    def parts(self, request: list[Seen], format: str) -> list[Part]:
        """A request as what prefixes are compared by: a reply is one message, but one block a slot for anthropic."""
        parts: list[Part] = []
        for seen in request:
            item = self.item(seen.slot)
            is_reply = item.phase == CALL and item.element in REPLY
            # Equal texts look equal; calls and results have ids.
            name = (item.answers or item.id) if item.tool else item.element
            part = Part(unit_of(item), ((name, self.body(seen)),), self.tokens(seen))
            last = parts[-1] if parts and is_reply and format != "anthropic" else None
            if last is not None and last.unit == part.unit:
                parts[-1] = Part(part.unit, last.looks + part.looks, last.tokens + part.tokens)
            else:
                parts.append(part)
        return parts

    # The process

    def fail(self, *, died: bool) -> None:
        """A request got no reply, or the process ended."""
        format = self.format
        super().fail(died=died)
        self.format = "openai" if died else format


def is_spared(item: Item, subject: Item) -> bool:
    """Whether an undo brought the item back and nothing has touched the subject, for which it retires, since."""
    return item.spared and subject.touch[1] <= item.spared_at


HOWS = ("full", "ref", "stub")


def unit_of(piece: Piece) -> Unit:
    """What a slot is rendered in: a reply with its results, or the slot alone."""
    if piece.phase == CALL and (piece.element in REPLY or piece.answers is not None):
        return (piece.turn, CALL, piece.place[2], -1, -1)
    return piece.place


def alike(before: list[Part], after: list[Part]) -> int:
    """How many leading parts are the same."""
    pairs = zip(before, after, strict=False)
    return next((n for n, (a, b) in enumerate(pairs) if a.looks != b.looks), min(len(before), len(after)))
