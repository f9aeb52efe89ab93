"""The two tables of a ledger that grow with its history: slots by id, and ids by element.

Here all of it is in memory. A ledger that was opened from a snapshot has the tables of stored.py in their place.
"""

from __future__ import annotations

from .slots import Slot


class SlotTable(dict[str, Slot]):
    """The slots by id, in the order of birth."""

    def at_hand(self, turn: int, ordinal: int) -> list[Slot]:
        """By birth, all slots that the request (turn, ordinal) or a later one holds if no event touches them.

        Others may be among them.
        """
        return list(self.values())


class ElementTable(dict[str, list[str]]):
    """The ids of each element's slots, in the order of birth."""

    def add(self, element: str, slot_id: str) -> None:
        """A slot was born."""
        self.setdefault(element, []).append(slot_id)

    def take_back(self, element: str) -> None:
        """The newest slot of the element was not born after all."""
        ids = self[element]
        ids.pop()
        if not ids:
            del self[element]
