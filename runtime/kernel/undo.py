"""Undo: the events that take a transaction back, acting from the next request (kernel.md section 3). Pure.

Nothing that a completed call has used is rewritten: a segment that an undo closes keeps what was shown, one
that it brings back starts anew. What no completed call has seen is simply put as it was.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import astuple, replace
from typing import Any

from .changes import representing
from .events import Event
from .ledger import Ledger
from .places import Place, begun, over
from .records import QueueEntry
from .slots import Slot

Change = tuple[str, dict[str, Any]]


def inverse(ledger: Ledger, event: Event, last: int) -> Iterator[Change]:
    """The changes (kind, data) that undo one event of an undoable transaction.

    ``last`` is the ordinal of the last request that went out: of the last completed call, or of one in progress.
    What an undo brings back is *spared*: not due again until it is touched or a new rule reaches it.
    """
    data = event.data
    slot_id = data.get("slot")
    since = -(last + 1)
    match event.kind:
        case "hold_begun":
            yield "hold_lifted", {"slot": slot_id, "name": data["name"], "until": since, "spared": True}
        case "hold_lifted":
            yield "hold_begun", {"slot": slot_id, "name": data["name"], "since": since}
        case "kept":
            yield "unkept", {"slot": slot_id, "until": since}
        case "unkept":
            yield "kept", {"slot": slot_id, "since": since}
        case "cancelled":
            yield "uncancelled", {"slot": slot_id, "until": since, "spared": True}
        case "represented":
            slot, note = ledger.slots[data["slot"]], data.get("was_note")
            preview, images = data.get("was_preview", 0), data.get("was_images", 0)
            yield "represented", representing(slot, data["was"], since, note, preview, images)
        case "segment_closed":
            yield from _unclose(ledger, data, last)
        case "segment_opened":
            yield from _unopen(ledger, data, last)
        case "rule_changed":
            yield "rule_changed", {"element": data["element"], "rule": data["was"], "was": data["rule"]}
        case "rule_copied":
            yield "rule_copied", {"slot": slot_id, "rule": data["was"], "was": data["rule"]}
        case "queue_dropped" if "entry" in data:
            yield from _requeue(ledger, QueueEntry(*data["entry"]))
        case "slot_born":
            yield "hold_begun", {"slot": slot_id, "name": f"undo:{event.transaction}", "since": since}


def _requeue(ledger: Ledger, patch: QueueEntry) -> Iterator[Change]:
    """Queue a patch again, for the coming turn if its own has come meanwhile; not a roll whose turns are over."""
    coming = ledger.turn + 1
    if patch.mode == "roll" and patch.last is not None and patch.last < coming:
        return
    at = patch.at if patch.mode == "roll" else max(patch.at, coming)
    yield "queued", {"patch": list(astuple(replace(patch, at=at)))}


def _unclose(ledger: Ledger, data: dict[str, Any], last: int) -> Iterator[Change]:
    """Give a segment back the end that it had, unless something later decided its end anew."""
    slot = ledger.slots[data["slot"]]
    index = _ending_at(slot, data["index"], data["end"])
    if index is None:
        return
    start, end = slot.segments[index]
    was: Place | None = data["was"]
    gone, coming = _gone(ledger, last), _coming(ledger, last)
    if begun(start, *coming) and end is not None and over(end, *gone):
        if was is None or not over(was, *coming):
            yield "segment_opened", {"slot": slot.id, "start": -(last + 1), "end": was, "spared": True}
        return
    # No request was without the slot because of this end.
    back = was if was is None or not over(was, *gone) else -last
    spared = end is not None and over(end, *coming)
    yield "segment_closed", {"slot": slot.id, "index": index, "end": back, "was": end, "spared": spared}


def _ending_at(slot: Slot, index: int, end: Place | None) -> int | None:
    """The segment that got this end: the one that was named, or the newest brought back in its place."""
    found = [i for i, segment in enumerate(slot.segments) if segment.end == end]
    return index if index in found else found[-1] if found else None


def _unopen(ledger: Ledger, data: dict[str, Any], last: int) -> Iterator[Change]:
    """Take an added segment away if no request has used it, else end it; with what was brought back in its place."""
    slot = ledger.slots[data["slot"]]
    starts = [segment.start for segment in slot.segments]
    # The first segment is the slot's own from birth; what came later is in its place only if its end was changed.
    first = starts.index(data["start"], 1)
    last_one = first if slot.segments[first].end == data["end"] else len(starts) - 1
    for index in range(last_one, first - 1, -1):
        start, end = slot.segments[index]
        if not begun(start, *_gone(ledger, last)):
            yield "segment_removed", {"slot": slot.id, "index": index, "start": start, "end": end}
        elif end is None or not over(end, ledger.turn, last + 1):
            # Also in the turn that is over: what one more request of it would hold is asked for too.
            yield "segment_closed", {"slot": slot.id, "index": index, "end": -last, "was": end}


def _gone(ledger: Ledger, last: int) -> tuple[int, int]:
    """The turn and the ordinal of the last request that went out."""
    return ledger.turn_of_ordinal(last), last


def _coming(ledger: Ledger, last: int) -> tuple[int, int]:
    """The turn and the ordinal of the next request."""
    return ledger.turn if ledger.is_open else ledger.turn + 1, last + 1
