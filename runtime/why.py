"""Why a slot is where it is: the events that touched it, read from the ledger."""

from __future__ import annotations

from typing import NamedTuple

from ..compiler.program import Program
from .kernel.events import Event
from .kernel.ledger import Ledger
from .kernel.places import show_place
from .store.interface import Store
from .waiting import story_of

#: What is told first of what happened between two calls: the birth, then what made the rest happen.
_RANKS = {"slot_born": 0, "ripe": 1, "not_ripe": 1}


class Cause(NamedTuple):
    """One thing that happened to a slot: at which turn and after how many calls, in which transaction, why."""

    turn: int
    ordinal: int
    transaction: int
    kind: str
    cause: str
    text: str


def causes_of(ledger: Ledger, store: Store, program: Program, slot_id: str, turn: int | None) -> list[Cause]:
    """What happened to a slot up to a turn, in order: its events, what its retirement waited for, its rule's end."""
    found: list[Cause] = []
    for row in store.rows():
        event = Event.from_row(row)
        if event.data.get("slot") == slot_id:
            found.append(Cause(event.turn, event.ordinal, event.transaction, event.kind, event.cause, _say(event)))
    for moment in story_of(ledger, program, slot_id):
        text = f"from {show_place(-moment.ordinal)} on {moment.text}"
        kind = "ripe" if moment.ripe else "not_ripe"
        found.append(Cause(moment.turn, moment.ordinal - 1, 0, kind, "rule", text))
    found.sort(key=lambda cause: (cause.turn, cause.ordinal, _RANKS.get(cause.kind, 2)))
    slot = ledger.slots[slot_id]
    last = slot.segments[-1].end
    if last is not None and last >= 0 and last < ledger.turn:
        found.append(Cause(last + 1, 0, 0, "rule", "turn_end", f"its rule ended with turn {last}"))
    return [cause for cause in found if turn is None or cause.turn <= turn]


def _say(event: Event) -> str:
    data = event.data
    match event.kind:
        case "slot_born":
            (start, end), *_ = data["segments"]
            return f"born at turn {data['at'][0]}, on stage from {show_place(start)} {_until(end)}"
        case "segment_closed":
            return f"its segment ends at {show_place(data['end'])}" if data["end"] is not None else "open again"
        case "segment_opened":
            return f"on stage again from {show_place(data['start'])} {_until(data['end'])}"
        case "segment_removed":
            return "a segment that no call had used is gone"
        case "hold_begun":
            return f"held off stage by {data['name']} from {show_place(data['since'])}"
        case "hold_lifted":
            return f"the hold {data['name']} is lifted from {show_place(data['until'])}"
        case "represented":
            return f"rendered as {data['how']} (was {data['was']}) from {show_place(data['since'])}"
        case "kept":
            return f"kept from {show_place(data['since'])}"
        case "unkept":
            return f"given back to its rule from {show_place(data['until'])}"
        case "cancelled":
            return f"cancelled from {show_place(data['since'])}"
        case "uncancelled":
            return f"the cancel is taken back from {show_place(data['until'])}"
        case "rule_copied":
            return "a new rule reached it"
        case _:
            return event.kind.replace("_", " ")


def _until(end: int | None) -> str:
    return "without end" if end is None else f"to {show_place(end)}"
