"""The tables of a ledger that was opened from a snapshot: what is asked for is read, the rest stays in the store.

What is in memory is newer than what the store has: a slot is read before its first change, and then never again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from operator import attrgetter
from typing import Generic, TypeVar, overload

from .index import Index
from .rows import slot_from_row
from .slots import Slot

K = TypeVar("K")
V = TypeVar("V")

_BY_BIRTH = attrgetter("number")


class Reading(Generic[K, V]):
    """A table that reads what it does not hold yet. ``read`` gives None for what is not there."""

    def __init__(self, read: Callable[[K], V | None]) -> None:
        self._held: dict[K, V] = {}
        self._read = read

    def __getitem__(self, key: K, /) -> V:
        value = self.get(key)
        if value is None:
            raise KeyError(key)
        return value

    def __setitem__(self, key: K, value: V, /) -> None:
        self._held[key] = value

    def __delitem__(self, key: K, /) -> None:
        del self._held[key]

    def __contains__(self, key: K, /) -> bool:
        return self.get(key) is not None

    @overload
    def get(self, key: K, /) -> V | None: ...
    @overload
    def get(self, key: K, default: V, /) -> V: ...
    def get(self, key: K, default: V | None = None, /) -> V | None:
        """The value of a key, or ``default``."""
        held = self._held.get(key)
        if held is not None:
            return held
        value = self._read(key)
        if value is None:
            return default
        self._held[key] = value
        return value


class StoredSlots(Reading[str, Slot]):
    """The slots by id. Whoever walks over all of them reads all of them."""

    def __init__(self, index: Index) -> None:
        super().__init__(self._slot)
        self._index = index
        self._is_whole = self._has_near = False

    def at_hand(self, turn: int, ordinal: int) -> list[Slot]:
        """See ``SlotTable.at_hand``. What rests after the first moment that is asked for rests after later ones."""
        if not self._has_near:
            self._has_near = True
            self._keep(self._index.at_hand(turn, ordinal))
        return sorted(self._held.values(), key=_BY_BIRTH)

    def values(self) -> Collection[Slot]:
        """All slots, by birth."""
        if not self._is_whole:
            self._keep(self._index.slots())
            self._is_whole = True
            self._held = {slot.id: slot for slot in sorted(self._held.values(), key=_BY_BIRTH)}
        return self._held.values()

    def __iter__(self) -> Iterator[str]:
        return (slot.id for slot in self.values())

    def __len__(self) -> int:
        return len(self.values())

    def _slot(self, slot_id: str) -> Slot | None:
        row = None if self._is_whole else self._index.slot(slot_id)
        return slot_from_row(row) if row is not None else None

    def _keep(self, rows: Iterable[bytes]) -> None:
        for row in rows:
            slot = slot_from_row(row)
            self._held.setdefault(slot.id, slot)


class StoredElements(Reading[str, list[str]]):
    """The ids of each element's slots. ``known``: the elements that had any at the snapshot."""

    def __init__(self, index: Index, known: Iterable[str]) -> None:
        super().__init__(self._ids)
        self._index = index
        self._known = dict.fromkeys(known)
        self._newer: dict[str, list[str]] = {}

    def add(self, element: str, slot_id: str) -> None:
        """A slot was born. The older ones of its element need not be read for that."""
        self._line(element).append(slot_id)

    def take_back(self, element: str) -> None:
        """The newest slot of the element was not born after all."""
        line = self._line(element)
        line.pop()
        if not line:
            self._held.pop(element, None)
            self._newer.pop(element, None)

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys([*self._known, *self._newer, *self._held]))

    def _line(self, element: str) -> list[str]:
        held = self._held.get(element)
        return held if held is not None else self._newer.setdefault(element, [])

    def _ids(self, element: str) -> list[str] | None:
        older = self._index.ids(element) if element in self._known else []
        return [*older, *self._newer.pop(element, [])] or None


class StoredWires(set[str]):
    """The ids of tool calls as providers see them."""

    def __init__(self, index: Index) -> None:
        super().__init__()
        self._index = index

    def __contains__(self, wire: object, /) -> bool:
        return super().__contains__(wire) or (isinstance(wire, str) and self._index.has_wire(wire))


def stored_results(index: Index) -> Reading[str, str]:
    """From a toolCall slot to the slot that answers it. No other slot is asked about in the store."""
    return Reading(lambda slot_id: index.result_of(slot_id) if slot_id.startswith("toolCall@") else None)


def stored_touches(index: Index, slots: StoredSlots) -> Reading[str, tuple[int, int]]:
    """From a key to its last touch: the birth of the newest slot that has it."""

    def read(key: str) -> tuple[int, int] | None:
        newest = index.touch(key)
        return (slots[newest].turn, slots[newest].shown_from - 1) if newest is not None else None

    return Reading(read)
