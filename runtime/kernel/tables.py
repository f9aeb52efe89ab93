"""The tables of a ledger that grow with its history: slots by id, ids by element, and what is looked up by name.

Here all of it is in memory. A ledger that was opened from a snapshot has the tables of stored.py in their place.
"""

from __future__ import annotations

from typing import Protocol, TypeVar, overload

from .slots import Slot

K = TypeVar("K", contravariant=True)
V = TypeVar("V")


class Lookup(Protocol[K, V]):
    """The part of a dict that asks for one key: nobody walks over the whole table."""

    def __getitem__(self, key: K, /) -> V: ...
    def __setitem__(self, key: K, value: V, /) -> None: ...
    def __delitem__(self, key: K, /) -> None: ...
    def __contains__(self, key: K, /) -> bool: ...
    @overload
    def get(self, key: K, /) -> V | None: ...
    @overload
    def get(self, key: K, default: V, /) -> V: ...


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
        ids = self.get(element)
        if ids is None:
            self[element] = [slot_id]
        else:
            ids.append(slot_id)

    def take_back(self, element: str) -> None:
        """The newest slot of the element was not born after all."""
        ids = self[element]
        ids.pop()
        if not ids:
            del self[element]
