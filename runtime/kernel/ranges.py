"""Ranges: from where to where a slot was and will be on stage, as far as the ledger knows (kernel.md section 2).

Derived from segments, cancels, holds and keeps. Places are compared in time: a turn bound lies at the edge of
its turn, a call bound at its call.
"""

from __future__ import annotations

from .ledger import Ledger
from .places import Place, after, show_place
from .slots import Slot

_Time = tuple[int, float]
_END_OF_TIME: _Time = (1 << 62, 0.0)


def ranges_of(ledger: Ledger, slot: Slot) -> list[list[int | str | None]]:
    """The ranges of a slot, each ``[first, last]``; last None is open. ``[5, 4]``: never on stage."""
    spans = [(start, end) for start, end in slot.segments]
    if slot.marks is not None:
        for mark in (*slot.marks.cancels, *slot.marks.holds):
            spans = [part for span in spans for part in _without(ledger, span, mark.since, mark.until)]
        for mark in slot.marks.keeps:
            spans = _with(ledger, spans, mark.since, mark.until)
    if slot.is_message:
        spans = _with(ledger, spans, slot.turn, slot.turn + 1)
    if slot.marks is not None and slot.marks.purged is not None:
        spans = [part for span in spans for part in _without(ledger, span, slot.marks.purged, None)]
    exact = slot.rule.end.unit == "calls"
    return [[_show(ledger, s, exact, end=False), _show(ledger, e, exact, end=True)] for s, e in spans]


def _without(
    ledger: Ledger, span: tuple[Place, Place | None], since: Place, until: Place | None
) -> list[tuple[Place, Place | None]]:
    """A span less the stretch from ``since`` up to, not including, ``until``."""
    start, end = span
    left: list[tuple[Place, Place | None]] = []
    if _begin(ledger, since) > _begin(ledger, start):
        left.append((start, _earlier(ledger, end, before(since))))
    if until is not None and (end is None or _begin(ledger, until) <= _finish(ledger, end)):
        left.append((until if _begin(ledger, until) > _begin(ledger, start) else start, end))
    if not left and end is not None and _finish(ledger, end) < _begin(ledger, start):
        return [span]
    return left


def _with(
    ledger: Ledger, spans: list[tuple[Place, Place | None]], since: Place, until: Place | None
) -> list[tuple[Place, Place | None]]:
    """Spans with the stretch from ``since`` up to ``until`` added; what touches is joined."""
    if until is not None and _begin(ledger, until) <= _begin(ledger, since):
        return spans
    added = (since, None if until is None else before(until))
    joined: list[tuple[Place, Place | None]] = []
    for span in sorted([*spans, added], key=lambda s: _begin(ledger, s[0])):
        last = joined[-1] if joined else None
        if last is not None and (last[1] is None or _begin(ledger, span[0]) <= _begin(ledger, after(last[1]))):
            joined[-1] = (last[0], _later(ledger, last[1], span[1]))
        else:
            joined.append(span)
    return joined


def before(place: Place) -> Place:
    """The end that lies right before a start: turn 3 -> turn 2, call 7 -> call 6."""
    return place - 1 if place >= 0 else place + 1


def _begin(ledger: Ledger, place: Place) -> _Time:
    return (place, 0.0) if place >= 0 else (ledger.turn_of_ordinal(-place), _number(ledger, -place))


def _finish(ledger: Ledger, place: Place | None) -> _Time:
    if place is None:
        return _END_OF_TIME
    return (place, float("inf")) if place >= 0 else (ledger.turn_of_ordinal(-place), _number(ledger, -place))


def _number(ledger: Ledger, ordinal: int) -> float:
    """Where a call lies inside its turn: at its very edge when it is the first one."""
    first = ledger.turn_of_ordinal(ordinal - 1) != ledger.turn_of_ordinal(ordinal)
    return 0.0 if first else float(ordinal)


def _earlier(ledger: Ledger, a: Place | None, b: Place) -> Place | None:
    return a if _finish(ledger, a) <= _finish(ledger, b) else b


def _later(ledger: Ledger, a: Place | None, b: Place | None) -> Place | None:
    return a if _finish(ledger, a) >= _finish(ledger, b) else b


def _show(ledger: Ledger, place: Place | None, exact: bool, *, end: bool) -> int | str | None:
    """A place for people. A call bound at the edge of a turn is that turn, unless the rule counts calls."""
    if place is None or place >= 0 or exact:
        return show_place(place)
    ordinal = -place
    turn = ledger.turn_of_ordinal(ordinal)
    neighbour = ledger.turn_of_ordinal(ordinal + 1 if end else ordinal - 1)
    return turn if neighbour != turn else show_place(place)
