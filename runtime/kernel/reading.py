"""Reading: whether any request has held a slot yet (language.md section 2: what is unread is not retired). Pure."""

from __future__ import annotations

from bisect import bisect_left

from .law import on_stage, turning_places
from .ledger import Ledger
from .places import Place
from .slots import Slot


def was_held(ledger: Ledger, slot: Slot) -> bool:
    """Whether a completed call's request held the slot on stage; a result is there only with its call.

    Nearly always the last one did. Else the law is asked for the first request from each place on at which its
    answer may change.
    """
    last = ledger.ordinal
    if slot.shown_from > last:
        return False
    answers = slot.link.answers if slot.link is not None else None
    together = (slot,) if answers is None else (slot, ledger.slots[answers])

    def held(ordinal: int) -> bool:
        turn = ledger.turn_of_ordinal(ordinal)
        return all(on_stage(one, turn, ordinal) for one in together)

    if held(last):
        return True
    places = {place for one in together for place in turning_places(one)}
    return any(held(ordinal) for place in places if slot.shown_from <= (ordinal := _from(ledger, place)) <= last)


def _from(ledger: Ledger, place: Place) -> int:
    """The ordinal of the first request from a place on."""
    return -place if place < 0 else bisect_left(ledger.turn_of, place) + 1
