"""Versions: slots that were born in the place of others (spec/cpat.md section 3, replace and redact).

A slot that is replaced stays what it was in every request that held it. Its successor has its position and, of a
result, its call; an undo takes the successor back for good, and the one before is in place again.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from .places import begun
from .slots import Slot

if TYPE_CHECKING:
    from .state import State


class Versions:
    """Which slots were born in the place of which. ``of``: from the first of a place to all later ones, by birth."""

    def __init__(self, ledger: State) -> None:
        self._ledger = ledger
        self.of: dict[str, list[str]] = {}

    def first(self, slot: Slot) -> str:
        """The id of the first slot in the place of this one: its own, if it replaces none."""
        while slot.replaces is not None:
            slot = self._ledger.slots[slot.replaces]
        return slot.id

    def at(self, slot: Slot, turn: int, ordinal: int) -> Slot:
        """The slot that belongs in the place of this one in the request (turn, ordinal), if any does."""
        for version in self._newest_first(slot):
            if version.replaces is None or (version.shown_from <= ordinal and not _is_gone(version, turn, ordinal)):
                return version
        return slot

    def current(self, slot: Slot) -> Slot:
        """The slot that is in the place of this one from the next request on."""
        return next((v for v in self._newest_first(slot) if not v.is_undone), slot)

    def successor(self, slot: Slot) -> str | None:
        """The id of the slot that replaced this one, if one did and was not taken back."""
        current = self.current(slot)
        return current.id if current.id != slot.id else None

    def born(self, slot: Slot) -> None:
        """A slot was born that replaces another."""
        self.of.setdefault(self.first(slot), []).append(slot.id)

    def unborn(self, slot: Slot) -> None:
        """It was not born after all."""
        first = self._ledger.slots[self.first(slot)]
        self.of[first.id].remove(slot.id)
        if not self.of[first.id]:
            del self.of[first.id]
        self.answer(first)

    def answer(self, slot: Slot) -> None:
        """Let the call of a result be answered by its current version."""
        if slot.link is not None and slot.link.answers is not None:
            self._ledger.result_of[slot.link.answers] = self.current(slot).id

    def _newest_first(self, slot: Slot) -> Iterator[Slot]:
        if self.of:
            first = self.first(slot)
            for slot_id in reversed(self.of.get(first, ())):
                yield self._ledger.slots[slot_id]
            yield self._ledger.slots[first]


def _is_gone(slot: Slot, turn: int, ordinal: int) -> bool:
    """Whether an undo had taken the slot's birth back before the request."""
    holds = slot.marks.holds if slot.marks is not None else ()
    return any(hold.name.startswith("undo:") and begun(hold.since, turn, ordinal) for hold in holds)
