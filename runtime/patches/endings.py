"""Endings: when the patches of an element are over (language.md section 5). Pure."""

from __future__ import annotations

from ..kernel.ledger import Ledger
from ..kernel.slots import Slot


def ended_patches(ledger: Ledger, element: str, turn: int) -> tuple[Slot, ...]:
    """The patch slots of an element whose last turn was ``turn - 1``, when nothing of it lives on.

    Empty when a patch slot of the element is still to come or on stage by its rule at ``turn``.
    """
    ended: list[Slot] = []
    for slot_id in ledger.patches.get(element, ()):
        slot = ledger.slots[slot_id]
        last = _last_turn(ledger, slot)
        if last is None or last >= turn:
            return ()
        if last == turn - 1:
            ended.append(slot)
    return tuple(ended)


def _last_turn(ledger: Ledger, slot: Slot) -> int | None:
    """The last turn inside a segment of the slot; None when one is open."""
    last = -1
    for start, end in slot.segments:
        if end is None:
            return None
        if end < start and end >= 0 and start >= 0:
            continue
        last = max(last, end if end >= 0 else ledger.turn_of_ordinal(-end))
    return last


def is_ending(element: str) -> bool:
    """Whether an element is the ending of another one."""
    return element.endswith("_end")
