"""Collapse: the turns that a patched element governed leave the stage with it (language.md section 5). Pure."""

from __future__ import annotations

from bisect import bisect_left

from ..kernel.law import in_force, is_over
from ..kernel.ledger import Ledger
from ..kernel.slots import CALL, ENDING, SUMMARY, Slot
from .endings import is_ending


def collapsed(ledger: Ledger, element: str, folds: tuple[str, ...], turn: int) -> list[Slot]:
    """The slots that a collapse at ``turn`` holds: those of ``folds`` born since the element's first birth.

    Pins, kept slots, summaries, turn 0 and endings stay; tool calls and their results follow ``assistant``.
    """
    first = ledger.slots[ledger.by_element[element][0]].turn
    elements = set(folds)
    if "assistant" in elements:
        elements |= {"toolCall", "toolResult"}
    found: list[Slot] = []
    for name in elements:
        ids = ledger.by_element.get(name, [])
        at = bisect_left(ids, max(first, 1), key=lambda i: ledger.slots[i].turn)
        for slot_id in ids[at:]:
            slot = ledger.slots[slot_id]
            if slot.turn >= turn:
                break
            if _may_fold(ledger, slot, turn, name in folds):
                found.append(slot)
    return sorted(found, key=lambda s: s.position)


def _may_fold(ledger: Ledger, slot: Slot, turn: int, named: bool) -> bool:
    if slot.phase in (ENDING, SUMMARY) or slot.element.startswith("pin_") or is_ending(slot.element):
        return False
    if not named and slot.phase != CALL:
        return False
    ordinal = ledger.ordinal + 1
    if slot.marks is not None and in_force(slot.marks.keeps, turn, ordinal):
        return False
    return not is_over(slot, turn, ordinal)
