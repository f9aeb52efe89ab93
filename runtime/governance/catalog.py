"""The catalog: what the tail tells of slots, kept up to date by what changes, never by walking the history."""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterator
from functools import cache
from itertools import islice
from typing import NamedTuple

from ..kernel.content import text_of
from ..kernel.representation import address
from ..kernel.slots import FULL, Shape, Slot
from ..kernel.tokens import count_text
from .facts import Reader

#: Kinds that may be the largest of the report: what an operation makes smaller.
REDUCIBLE = ("toolResult", "assistant", "summary")

#: Kinds that no operation may name, or none that a model would know of.
NAMELESS = ("system", "think")

#: Characters of a description (spec/cpat.md section 1).
LONGEST = 110

#: Causes of the transactions that may archive a slot.
_ARCHIVING = ("op", "critical_pass", "pruning")


class Row(NamedTuple):
    """A row of the manifest: its text, what the text costs, and the tokens of its slot."""

    text: str
    cost: int
    tokens: int


class Catalog:
    """The archived slots, the large ones, and a line that says what a slot is."""

    def __init__(self, reader: Reader, coming: Reader) -> None:
        """``reader`` tells of the stage as it is, ``coming`` of the next request: operations act from there."""
        self._reader = reader
        self._coming = coming
        self._recorder = reader.recorder
        #: Archived slots with their tokens, hidden ones.
        self.archived: dict[str, int] = {}
        self.hidden: set[str] = set()
        #: The archived ones by birth; None: they are to be put in order again.
        self._in_order: list[Slot] | None = None
        #: (minus tokens, id) of what may be on stage in full, the largest first; some may have left.
        self._large: list[tuple[int, str]] = []
        self._known: set[str] = set()
        self._rows: dict[str, tuple[Shape, Row]] = {}
        self._changes: set[str] | None = None
        base_of = reader.program.base_of
        self._has_name = cache(lambda element: base_of(element) not in NAMELESS)

    def follow(self) -> None:
        """Take note of what changed since this was last asked."""
        if self._changes is None:
            self._changes = self._recorder.listen()
            self._begin()
        ledger = self._recorder.ledger
        for slot_id in self._changes:
            slot = ledger.slots.get(slot_id)
            if self.archived.pop(slot_id, None) is not None:
                self._in_order = None
            self.hidden.discard(slot_id)
            self._rows.pop(slot_id, None)
            if slot is None or slot.is_undone:
                continue
            self._file(slot)
        self._changes.clear()

    def newest_archived(self) -> Iterator[Slot]:
        """The archived slots, the newest first, in whatever order they were archived."""
        if self._in_order is None:
            self._in_order = self._recorder.ledger.in_order(self.archived)
        return reversed(self._in_order)

    def largest(self, count: int) -> list[Slot]:
        """The largest reducible slots on stage in full, the largest first."""
        self.follow()
        return list(islice(self._standing(), count))

    def row(self, slot: Slot) -> Row:
        """The slot's row: id, kind, tokens, what is special about it, what it holds in at most 110 characters."""
        shape = self._reader.shape(slot) if slot.marks is not None else FULL
        known = self._rows.get(slot.id)
        if known is None or known[0] != shape:
            known = self._rows[slot.id] = (shape, self._make(slot, shape))
        return known[1]

    def newest(self) -> Iterator[Slot]:
        """The slots on stage that an operation may name, the newest first."""
        stage, slots = self._recorder.stage, self._recorder.ledger.slots
        for key in reversed(stage.keys):
            for slot_id in reversed([*stage.units[key], *stage.results_on(key)]):
                slot = slots[slot_id]
                if self._has_name(slot.element):
                    yield slot

    def _begin(self) -> None:
        """What is there already: the slots on stage, and those that transactions of the ledger have archived."""
        ledger = self._recorder.ledger
        changes = self._changes
        assert changes is not None
        changes.update(self._recorder.stage.shown)
        for transaction in ledger.history:
            if transaction.cause in _ARCHIVING:
                for event in self._recorder.events(transaction.first - 1):
                    if event.seq > transaction.last:
                        break
                    if event.kind == "hold_begun":
                        changes.add(event.data["slot"])

    def _file(self, slot: Slot) -> None:
        reader = self._coming
        if slot.marks is not None and reader.op_holds(slot):
            visibility = reader.visibility(slot)
            if visibility == "archived":
                self.archived[slot.id] = reader.tokens(slot)
                self._in_order = None
            elif visibility == "hidden":
                self.hidden.add(slot.id)
        if slot.id not in self._known and reader.kind(slot) in REDUCIBLE:
            self._known.add(slot.id)
            insort(self._large, (-slot.tokens, slot.id))

    def _standing(self) -> Iterator[Slot]:
        """The large slots on stage in full; those that will not be either are forgotten until they change again."""
        gone: list[tuple[int, str]] = []
        try:
            for entry in self._large:
                slot = self._recorder.ledger.slots.get(entry[1])
                if slot is not None and self._reader.stands(slot):
                    yield slot
                elif slot is None or not self._coming.stands(slot):
                    gone.append(entry)
        finally:
            if gone:
                self._known.difference_update(slot_id for _, slot_id in gone)
                self._large = [entry for entry in self._large if entry[1] in self._known]

    def _make(self, slot: Slot, shape: Shape) -> Row:
        reader = self._reader
        special = ["protected"] if reader.is_protected(slot) else []
        if shape.how != "full":
            special.append(f"offloaded {address(slot.digest.hex())}")
        marks = f" [{', '.join(special)}]" if special else ""
        tokens = reader.tokens(slot)
        text = f"{slot.id} {reader.kind(slot)} {tokens}{marks}: {self._line(slot)}"
        return Row(text, count_text(text) + 1, tokens)

    def _line(self, slot: Slot) -> str:
        """The first line of the content that says anything, its blanks made single."""
        if self._reader.is_lost(slot):
            return "its content is lost"
        text = text_of(self._reader.content(slot))[: 40 * LONGEST]
        line = next((" ".join(line.split()) for line in text.splitlines() if line.strip()), "(empty)")
        return line if len(line) <= LONGEST else line[: LONGEST - 1].rstrip() + "…"
