"""What a store keeps of slots beside the events, so that one can be read without the others."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, Protocol

from .law import resting_place
from .rows import slot_to_row
from .slots import Slot


class SlotRow(NamedTuple):
    """A slot as it is stored: what it is found by, and all of it as JSON (``row``).

    ``line`` is the row of the element table that it follows, ``wire`` the id of its tool call as providers see it;
    a slot that replaces another has none of these.
    Once ``rest_turn`` and ``rest_call`` have come it is off stage until an event touches it (``resting_place``).
    """

    number: int
    id: str
    element: str
    line: str
    key: str | None
    answers: str | None
    wire: str | None
    rest_turn: int
    rest_call: int
    row: bytes


def row_of_slot(slot: Slot) -> SlotRow:
    """The stored row of a slot."""
    key = answers = wire = None
    if slot.replaces is not None:
        # What asks for the newest of its kind means first versions: a replacement is no touch and no newer slot.
        return SlotRow(
            slot.number, slot.id, slot.element, "", None, None, None, *resting_place(slot), slot_to_row(slot)
        )
    if slot.link is not None:
        key, answers = slot.link.key, slot.link.answers
        wire = slot.link.wire or None if answers is None else None
    return SlotRow(
        slot.number, slot.id, slot.element, slot.row_name, key, answers, wire, *resting_place(slot), slot_to_row(slot)
    )


class Index(Protocol):
    """The slots that were born up to a snapshot, each as its newest stored row says."""

    @property
    def births(self) -> int:
        """How many slots there are."""

    def slot(self, slot_id: str) -> bytes | None:
        """The row of a slot; None when it is not there."""

    def slots(self) -> Iterable[bytes]:
        """The rows of all slots, by birth."""

    def at_hand(self, turn: int, ordinal: int) -> Iterable[bytes]:
        """The rows of the slots that rest after (turn, ordinal), with the results of the tool calls among them."""

    def ids(self, element: str) -> list[str]:
        """The ids of an element's slots, by birth."""

    def result_of(self, call: str) -> str | None:
        """The id of the slot that answers a toolCall slot."""

    def newest(self, line: str, key: str | None) -> str | None:
        """The id of the newest slot of a row of the element table with a key (None: without one)."""

    def touch(self, key: str) -> str | None:
        """The id of the newest slot, of any element, with a key."""

    def has_wire(self, wire: str) -> bool:
        """Whether a tool call has this id on the wire."""
