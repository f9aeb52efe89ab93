"""The stage law: whether a slot is in the request of a call (kernel.md section 2). Pure.

on(slot, call) = born, not purged, and (kept, or inside a segment and not cancelled and under no hold).
Laws that need a second slot (a result follows its call) are in stage.py and projection.py.
"""

from __future__ import annotations

from collections.abc import Iterable

from .places import Place, begun, over
from .slots import FULL, Mark, Representation, Shape, Slot

#: A turn, and an ordinal, that no session reaches (it still fits into 64 bits, signed).
NEVER = 1 << 62


def in_force(marks: Iterable[Mark], turn: int, ordinal: int) -> bool:
    """Whether any of the marks holds at the request (turn, ordinal)."""
    return any(
        begun(m.since, turn, ordinal) and (m.until is None or not begun(m.until, turn, ordinal)) for m in marks
    )


def inside(slot: Slot, turn: int, ordinal: int) -> bool:
    """Whether the request lies inside a segment of the slot's rule."""
    for start, end in slot.segments:
        if begun(start, turn, ordinal) and (end is None or not over(end, turn, ordinal)):
            return True
    return False


def covered(slot: Slot, turn: int, ordinal: int) -> bool:
    """Whether the rule has the slot on stage: inside a segment, or thinking that its tool loop still needs.

    A think slot of a reply that called tools stays for the rest of its turn: providers sign thinking and refuse
    the chain without it.
    """
    return inside(slot, turn, ordinal) or (
        slot.turn == turn and slot.element == "think" and slot.link is not None
    )


def on_stage(slot: Slot, turn: int, ordinal: int) -> bool:
    """The stage law for one slot and one request."""
    if ordinal < slot.shown_from:
        return False
    marks = slot.marks
    if marks is not None and marks.purged is not None and begun(marks.purged, turn, ordinal):
        return False
    if slot.is_message and slot.turn == turn:
        return True
    if marks is None:
        return covered(slot, turn, ordinal)
    if in_force(marks.keeps, turn, ordinal):
        return True
    return (
        covered(slot, turn, ordinal)
        and not in_force(marks.cancels, turn, ordinal)
        and not in_force(marks.holds, turn, ordinal)
    )


def representation(slot: Slot, turn: int, ordinal: int) -> Representation:
    """How the slot is rendered in the request, if it is on stage."""
    return shape_at(slot, turn, ordinal).how


def shape_at(slot: Slot, turn: int, ordinal: int) -> Shape:
    """The same with what belongs to it: a note, a preview, images."""
    if slot.marks is not None:
        for shape in reversed(slot.marks.shapes):
            if begun(shape.since, turn, ordinal):
                return shape
    return FULL


def is_over(slot: Slot, turn: int, ordinal: int) -> bool:
    """Whether every segment of the slot lies before the request."""
    return all(end is not None and over(end, turn, ordinal) for _, end in slot.segments)


def turning_places(slot: Slot) -> Iterable[Place]:
    """Every place at which the law may change its answer for this slot (the timeline's hints)."""
    yield -slot.shown_from
    for start, end in slot.segments:
        yield start
        if end is not None:
            yield end + 1 if end >= 0 else end - 1
    if slot.is_message or slot.link is not None:
        yield slot.turn + 1
    if slot.marks is not None:
        for mark in (*slot.marks.holds, *slot.marks.keeps, *slot.marks.cancels):
            yield mark.since
            if mark.until is not None:
                yield mark.until
        for shape in slot.marks.shapes:
            yield shape.since
        if slot.marks.purged is not None:
            yield slot.marks.purged


def resting_place(slot: Slot) -> tuple[int, int]:
    """The turn and the ordinal from which on a slot is off stage until an event touches it: both must have come.

    Of a slot that is on stage without end both are ``NEVER``.
    """
    if on_stage(slot, NEVER, NEVER):
        return NEVER, NEVER
    places = list(turning_places(slot))
    return max((p for p in places if p >= 0), default=0), max((-p for p in places if p < 0), default=0)
