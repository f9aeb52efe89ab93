"""Segment arithmetic: birth, closing, reopening (spec of the first system, sections 2 and 3). Pure."""

from __future__ import annotations

from ...compiler.program import Rule
from ...grammar.ast import Bound
from ...grammar.bounds import show_bound
from ...grammar.errors import DccError
from .places import Place, begun, over
from .slots import Segment


class SegmentError(DccError):
    """A life cycle that gives no segment: start without a turn, end before start, shown before birth."""


def start_place(bound: Bound, turn: int, shown_from: int) -> Place:
    """Where a slot born at ``turn`` begins to be on stage. Raises SegmentError (``start_open``)."""
    if bound.kind == "turn":
        return bound.n
    if bound.kind == "born":
        return turn + bound.n if bound.unit == "turns" else -(shown_from + bound.n)
    raise SegmentError("start_open", "a rule must start at a turn", help="write born, born+n or a turn number")


def end_place(bound: Bound, turn: int) -> Place | None:
    """The last turn of a slot born at ``turn``; None when an event, a touch or a count of calls decides."""
    if bound.kind == "turn":
        return bound.n
    if bound.kind == "born" and bound.unit == "turns":
        return turn + bound.n
    return None


def birth_segment(rule: Rule, turn: int, shown_from: int = 0, *, visible_from: Place | None = None) -> Segment:
    """The segment that a rule gives a slot born at ``turn``.

    ``visible_from`` (a turn, or the call of a request to come) replaces the start, as for summaries. Raises
    SegmentError: ``start_open``, ``end_before_start``, ``visible_before_birth``.
    """
    start = start_place(rule.start, turn, shown_from)
    end = end_place(rule.end, turn)
    if visible_from is not None:
        if 0 <= visible_from < turn:
            raise SegmentError("visible_before_birth", f"visible from {visible_from}, but born at {turn}")
        start = visible_from
    if end is not None and 0 <= end < start:
        raise SegmentError(
            "end_before_start",
            f"the end {show_bound(rule.end)} lies before the start {show_bound(rule.start)} for a slot of turn {turn}",
            help="end the rule at its start or later",
        )
    return Segment(start, end)


def check_segments(segments: tuple[Segment, ...], born: int) -> None:
    """Refuse segments that no rule can have given. Raises SegmentError: ``empty_range``, ``end_before_birth``."""
    if not segments:
        raise SegmentError("empty_range", "a slot needs at least one segment")
    start, end = segments[-1]
    if end is not None and start >= born and 0 <= end < born - 1:
        raise SegmentError("end_before_birth", f"the last end, {end}, lies before the birth turn {born}")


def still_open(segments: tuple[Segment, ...]) -> list[int]:
    """The segments without an end, by index: what an event ends.

    Not always the last: a slot that is reopened before its rule's start has its own segment still ahead.
    """
    return [index for index, (_, end) in enumerate(segments) if end is None]


def close_before(segments: tuple[Segment, ...], turn: int) -> tuple[tuple[Segment, ...], bool]:
    """Make ``turn - 1`` the last turn of the segment that covers ``turn``; says whether one did.

    Closing a segment in its first turn leaves an empty one (end = start - 1): it was never shown.
    """
    for i, (start, end) in enumerate(segments):
        if begun(start, turn, 0) and (end is None or not over(end, turn, 0)):
            return (*segments[:i], Segment(start, turn - 1), *segments[i + 1 :]), True
    return segments, False


def reopen_at(segments: tuple[Segment, ...], turn: int, rule: Rule, born: int) -> tuple[tuple[Segment, ...], bool]:
    """Add ``[turn, declared end]`` unless the slot is on stage at ``turn``; says whether it did.

    Raises SegmentError (``reopen_past_end``) when the rule's end for the birth turn lies before ``turn``.
    """
    if any(begun(s, turn, 0) and (e is None or not over(e, turn, 0)) for s, e in segments):
        return segments, False
    return (*segments, Segment(turn, declared_end(rule, born, turn))), True


def declared_end(rule: Rule, born: int, turn: int) -> Place | None:
    """The end that a rule declares for a birth turn, for a slot that comes back at ``turn``."""
    end = end_place(rule.end, born)
    if end is not None and end < turn:
        raise SegmentError(
            "reopen_past_end",
            f"its rule ended at turn {end}, before turn {turn}",
            help="give the element a later end first (/dc-rule … force_refresh)",
        )
    return end
