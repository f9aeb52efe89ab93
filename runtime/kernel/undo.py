"""Undo: the events that take a transaction back, acting from the next request (kernel.md section 3). Pure.

Nothing that a completed call has used is rewritten: a segment that an undo closes keeps what was shown, one
that it brings back starts anew. What no completed call has seen is simply put as it was.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .events import Event
from .ledger import Ledger
from .places import over

Change = tuple[str, dict[str, Any]]


def inverse(ledger: Ledger, event: Event, last: int) -> Iterator[Change]:
    """The changes (kind, data) that undo one event of an undoable transaction.

    ``last`` is the ordinal of the last request that went out: of the last completed call, or of one in progress.
    """
    data = event.data
    next_request = -(last + 1)
    unseen = event.ordinal == last
    match event.kind:
        case "hold_begun":
            yield "hold_lifted", {"slot": data["slot"], "name": data["name"], "until": next_request}
        case "hold_lifted":
            yield "hold_begun", {"slot": data["slot"], "name": data["name"], "since": next_request}
        case "kept":
            yield "unkept", {"slot": data["slot"], "until": next_request}
        case "unkept":
            yield "kept", {"slot": data["slot"], "since": next_request}
        case "cancelled":
            yield "uncancelled", {"slot": data["slot"], "until": next_request}
        case "represented":
            yield "represented", _swap(data, since=next_request)
        case "segment_closed":
            yield from _unclose(ledger, data, next_request, unseen)
        case "segment_opened":
            yield from _unopen(ledger, data, last, unseen)
        case "rule_changed":
            yield "rule_changed", {"element": data["element"], "rule": data["was"], "was": data["rule"]}
        case "rule_copied":
            yield "rule_copied", {"slot": data["slot"], "rule": data["was"], "was": data["rule"]}
        case "slot_born":
            name = f"undo:{event.transaction}"
            yield "hold_begun", {"slot": data["slot"], "name": name, "since": next_request}


def _swap(data: dict[str, Any], *, since: int) -> dict[str, Any]:
    return {"slot": data["slot"], "how": data["was"], "was": data["how"], "since": since}


def _unclose(ledger: Ledger, data: dict[str, Any], next_request: int, unseen: bool) -> Iterator[Change]:
    slot = ledger.slots[data["slot"]]
    was = data["was"]
    if unseen and data["index"] < len(slot.segments):
        now = slot.segments[data["index"]].end
        yield "segment_closed", {"slot": slot.id, "index": data["index"], "end": was, "was": now, "spared": True}
    elif was is None or not over(was, _next_turn(ledger), -next_request):
        yield "segment_opened", {"slot": slot.id, "start": next_request, "end": was, "spared": True}


def _unopen(ledger: Ledger, data: dict[str, Any], last: int, unseen: bool) -> Iterator[Change]:
    slot = ledger.slots[data["slot"]]
    for index in range(len(slot.segments) - 1, -1, -1):
        start, end = slot.segments[index]
        if start == data["start"]:
            if unseen:
                yield "segment_removed", {"slot": slot.id, "index": index, "start": start, "end": end}
            else:
                close = {"slot": slot.id, "index": index, "end": -last, "was": end, "spared": True}
                yield "segment_closed", close
            return


def _next_turn(ledger: Ledger) -> int:
    return ledger.turn if ledger.is_open else ledger.turn + 1
