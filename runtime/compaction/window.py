"""What a compaction replaces: the window of turns, and the slots in it (spec of the first system, section 13).

Looks and changes nothing. A slot is spoken of as the next request would have it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...compiler.program import Program
from ..kernel.law import in_force
from ..kernel.ledger import Ledger
from ..kernel.projection import shows
from ..kernel.retirement import is_spared
from ..kernel.slots import CALL, ENDING, SUMMARY, Slot
from ..kernel.stage import Stage
from ..patches.endings import is_ending


@dataclass(frozen=True, slots=True)
class Window:
    """The turns ``start`` to ``end``: what leaves (``sources``, by position), and what is told of them (``told``).

    ``told`` is by turn, then by the order of ``compact.fields``, then by position.
    """

    start: int
    end: int
    sources: tuple[Slot, ...]
    told: tuple[Slot, ...]


class Windows:
    """Finds windows in a session."""

    def __init__(self, ledger: Ledger, stage: Stage, program: Program, fields: tuple[str, ...]) -> None:
        self._ledger = ledger
        self._stage = stage
        self._fields = tuple(f for f in fields if program.base_of(f) != "system")
        chains = ("toolCall", "toolResult") if "assistant" in self._fields else ()
        self._leaving = (*self._fields, *(c for c in chains if c not in self._fields))

    def find(
        self, end: int, moment: tuple[int, int], covered: Sequence[tuple[int, int]], *, again: bool
    ) -> Window | None:
        """The window up to the turn ``end``, as the request at ``moment`` (turn, ordinal) has it; None: nothing in it.

        ``covered``: the turns that summaries stand for: what left the stage there by itself was told before.
        ``again``: also what an undo brought back.
        """
        start = next((s.turn for s in self._on_stage(end) if self._may_go(s, moment, again)), None)
        if start is None:
            return None
        leaving = [s for name in self._leaving for s in self._born(name, start, end)]
        sources = [s for s in leaving if self._may_go(s, moment, again)]
        told = [(s.turn, self._fields.index(s.element), s.position, s) for s in leaving if s.element in self._fields]
        return Window(
            start,
            end,
            tuple(sorted(sources, key=lambda s: s.position)),
            tuple(s for *_, s in sorted(told) if s in sources or self._is_past(s, moment, covered)),
        )

    def on_stage(self, moment: tuple[int, int]) -> Iterator[Slot]:
        """All slots of ``compact.fields`` on stage, in order (for hosts that compact by themselves)."""
        for slot in self._on_stage(self._ledger.turn):
            if slot.element in self._fields and shows(self._ledger, slot, *moment):
                yield slot

    def _on_stage(self, end: int) -> Iterator[Slot]:
        """The slots on stage of turns up to ``end``, in order."""
        for slot_id in self._stage.slots_on():
            slot = self._ledger.slots[slot_id]
            if slot.turn > end:
                return
            yield slot

    def _born(self, element: str, start: int, end: int) -> Iterator[Slot]:
        """The slots of an element that were born in these turns, but for what is never summarised."""
        slots, ids = self._ledger.slots, self._ledger.by_element.get(element, [])
        for slot_id in ids[bisect_left(ids, start, key=lambda i: slots[i].turn) :]:
            slot = slots[slot_id]
            if slot.turn > end:
                return
            if self._is_talk(slot):
                yield slot

    def _is_talk(self, slot: Slot) -> bool:
        """Whether the slot is of a kind that is summarised; a chain that is not named follows its assistant."""
        if slot.phase in (ENDING, SUMMARY) or slot.element.startswith("pin_") or is_ending(slot.element):
            return False
        return slot.element in self._fields or slot.phase == CALL

    def _may_go(self, slot: Slot, moment: tuple[int, int], again: bool) -> bool:
        """Whether the slot is on stage, and a compaction may take it off."""
        if slot.turn == 0 or slot.element not in self._leaving or not self._is_talk(slot):
            return False
        if self._ledger.is_open and slot.turn == self._ledger.turn:
            return False
        if slot.marks is not None and in_force(slot.marks.keeps, *moment):
            return False
        if not again and is_spared(self._ledger, slot, self._result(slot)):
            return False
        return shows(self._ledger, slot, *moment)

    def _result(self, slot: Slot) -> Slot | None:
        """The result of a call: a chain leaves as a whole, so what touches the result touches the call."""
        answer = self._ledger.result_of.get(slot.id)
        return self._ledger.slots[answer] if answer is not None else None

    def _is_past(self, slot: Slot, moment: tuple[int, int], covered: Sequence[tuple[int, int]]) -> bool:
        """Whether its own end took the slot off stage, and nothing else: what it says may be told, once."""
        if any(first <= slot.turn <= last for first, last in covered):
            return False
        marks = slot.marks
        if marks is not None and (
            in_force(marks.holds, *moment) or in_force(marks.cancels, *moment) or in_force(marks.keeps, *moment)
        ):
            return False
        return not shows(self._ledger, slot, *moment)
