"""What an event makes of the slot that it names: the slot's next value. Pure."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Any

from .events import Event, rule_from_text
from .places import Place
from .slots import NO_MARKS, Mark, Marks, Representation, Segment, Shape, Slot, end_marks


def changed(slot: Slot, event: Event) -> Slot:
    """The slot after an event of one of :data:`CHANGES` that names it."""
    return CHANGES[event.kind](slot, event)


def _segments(slot: Slot, event: Event, segments: tuple[Segment, ...]) -> Slot:
    return slot._replace(segments=segments, marks=_spared(slot, event))


def _opened(slot: Slot, event: Event) -> Slot:
    return _segments(slot, event, (*slot.segments, Segment(event.data["start"], event.data["end"])))


def _closed(slot: Slot, event: Event) -> Slot:
    segments = list(slot.segments)
    i = event.data["index"]
    segments[i] = Segment(segments[i].start, event.data["end"])
    return _segments(slot, event, tuple(segments))


def _removed(slot: Slot, event: Event) -> Slot:
    i = event.data["index"]
    return slot._replace(segments=slot.segments[:i] + slot.segments[i + 1 :])


def representing(
    slot: Slot, how: Representation, since: Place, note: str | None = None, preview: int = 0, images: int = 0
) -> dict[str, Any]:
    """The data of a ``represented`` event: what the slot's shape is to be, and what an undo makes of it again."""
    data: dict[str, Any] = {"slot": slot.id, "how": how, "was": slot.shape.how, "since": since}
    was = slot.shape
    extra = {
        "note": note, "preview": preview, "images": images,
        "was_note": was.note, "was_preview": was.preview, "was_images": was.images,
    }  # fmt: skip
    return data | {name: value for name, value in extra.items() if value}


def _marked(slot: Slot, **marks: Any) -> Slot:
    return slot._replace(marks=replace(slot.marks or NO_MARKS, **marks))


def _hold_begun(slot: Slot, event: Event) -> Slot:
    mark = Mark(event.data["name"], event.data["since"])
    return _marked(slot, holds=(*(slot.marks or NO_MARKS).holds, mark))


def _hold_lifted(slot: Slot, event: Event) -> Slot:
    marks = _spared(slot, event) or NO_MARKS
    return slot._replace(marks=replace(marks, holds=end_marks(marks.holds, event.data["until"], event.data["name"])))


def _represented(slot: Slot, event: Event) -> Slot:
    marks = slot.marks or NO_MARKS
    data = event.data
    shape = Shape(data["how"], data["since"], data.get("note"), data.get("preview", 0), data.get("images", 0))
    spared = event.ordinal if data["how"] == "full" else marks.spared
    return _marked(slot, shapes=(*marks.shapes, shape), spared=spared)


def purged(slot: Slot, since: Place) -> Slot:
    """The slot once its content was deleted: off stage from ``since`` on, whatever else is said of it."""
    return _marked(slot, purged=since)


def without_notes(slot: Slot, digests: Collection[str], since: Place) -> Slot:
    """The slot once notes of it (hex digests) were deleted: what has one is rendered without it from ``since`` on."""
    shapes = (slot.marks or NO_MARKS).shapes
    left = tuple(s._replace(lost=since) if s.note in digests and s.lost is None else s for s in shapes)
    if left and left[-1].lost is not None:
        left = (*left, left[-1]._replace(since=since, note=None, lost=None))
    return _marked(slot, shapes=left)


def _kept(slot: Slot, event: Event) -> Slot:
    return _marked(slot, keeps=(*(slot.marks or NO_MARKS).keeps, Mark("keep", event.data["since"])))


def _unkept(slot: Slot, event: Event) -> Slot:
    return _marked(slot, keeps=end_marks((slot.marks or NO_MARKS).keeps, event.data["until"]))


def _cancelled(slot: Slot, event: Event) -> Slot:
    return _marked(slot, cancels=(*(slot.marks or NO_MARKS).cancels, Mark("cancel", event.data["since"])))


def _uncancelled(slot: Slot, event: Event) -> Slot:
    marks = _spared(slot, event) or NO_MARKS
    return slot._replace(marks=replace(marks, cancels=end_marks(marks.cancels, event.data["until"])))


def _rule_copied(slot: Slot, event: Event) -> Slot:
    marks = slot.marks
    if marks is not None and event.cause != "undo":
        marks = replace(marks, spared=None)
    return slot._replace(rule=rule_from_text(event.data["rule"]), marks=marks)


def _spared(slot: Slot, event: Event) -> Marks | None:
    """The slot's marks after an event: what an undo brings back is not due again."""
    if not event.data.get("spared"):
        return slot.marks
    return replace(slot.marks or NO_MARKS, spared=event.ordinal)


#: Every kind of event that changes a slot, with what it makes of it.
CHANGES: dict[str, Callable[[Slot, Event], Slot]] = {
    "segment_opened": _opened,
    "segment_closed": _closed,
    "segment_removed": _removed,
    "hold_begun": _hold_begun,
    "hold_lifted": _hold_lifted,
    "represented": _represented,
    "kept": _kept,
    "unkept": _unkept,
    "cancelled": _cancelled,
    "uncancelled": _uncancelled,
    "rule_copied": _rule_copied,
}
