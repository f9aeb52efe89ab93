"""The row of a slot in a store: its birth, and all that was done to it since."""

from __future__ import annotations

import json
from typing import Any

from .birth import slot_from_data, slot_to_data
from .events import DAMAGE, damaged
from .slots import Mark, Marks, Shape, Slot

_ENCODE = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def slot_to_row(slot: Slot) -> bytes:
    """A slot as one line of JSON."""
    data = slot_to_data(slot)
    if slot.marks is not None:
        marks = slot.marks
        data["marks"] = [marks.holds, marks.keeps, marks.cancels, marks.shapes, marks.spared, marks.purged]
    return _ENCODE(data).encode("utf-8", "surrogatepass")


def slot_from_row(row: bytes) -> Slot:
    """The slot of :func:`slot_to_row`. Raises EventError (``damaged_events``)."""
    try:
        data = json.loads(row.decode("utf-8", "surrogatepass"))
        slot = slot_from_data(data)
        return slot._replace(marks=_marks(*data["marks"])) if "marks" in data else slot
    except DAMAGE as error:
        raise damaged(error) from error


def _marks(
    holds: list[Any], keeps: list[Any], cancels: list[Any], shapes: list[Any], spared: int | None, purged: int | None
) -> Marks:
    holding, keeping, cancelling = (tuple(Mark(*mark) for mark in marks) for marks in (holds, keeps, cancels))
    return Marks(holding, keeping, cancelling, tuple(Shape(*shape) for shape in shapes), spared, purged)
