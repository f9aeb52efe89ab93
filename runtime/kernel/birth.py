"""Slots as row data: the ``slot_born`` event and back."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from .events import rule_from_text, rule_to_text
from .slots import Link, Segment, Slot


def slot_to_data(slot: Slot) -> dict[str, Any]:
    """The data of a ``slot_born`` event. Fields that most slots leave at their default are left out."""
    data: dict[str, Any] = {
        "slot": slot.id,
        "element": slot.element,
        "at": [slot.turn, slot.phase, slot.call, slot.seq, slot.number],
        "from": slot.shown_from,
        "rule": rule_to_text(slot.rule),
        "segments": [list(s) for s in slot.segments],
        "digest": slot.digest.hex(),
        "tokens": slot.tokens,
    }
    if slot.refined is not None:
        data["refined"] = slot.refined
    if slot.link is not None:
        data["link"] = list(slot.link)
    if slot.compact_range is not None:
        data["compact_range"] = list(slot.compact_range)
    if slot.replaces is not None:
        data["replaces"] = slot.replaces
    return data


def slot_from_data(data: dict[str, Any]) -> Slot:
    """The slot of :func:`slot_to_data`."""
    turn, phase, call, seq, number = data["at"]
    segments = data["segments"]
    link, covers = data.get("link"), data.get("compact_range")
    return Slot(
        data["slot"],
        _name(data["element"]),
        turn,
        phase,
        call,
        seq,
        number,
        data["from"],
        rule_from_text(data["rule"]),
        _single(*segments[0]) if len(segments) == 1 else tuple(Segment(*s) for s in segments),
        bytes.fromhex(data["digest"]),
        data["tokens"],
        data.get("refined"),
        Link(*link) if link is not None else None,
        None,  # Marks come by later events. By place, since by name a slot takes half as long again.
        (covers[0], covers[1]) if covers is not None else None,
        data.get("replaces"),
    )


@lru_cache(maxsize=4096)
def _name(element: str) -> str:
    """One string object per element name, whatever the row says: a million slots share it."""
    return element


@lru_cache(maxsize=4096)
def _single(start: int, end: int | None) -> tuple[Segment, ...]:
    """One segment tuple for all slots of a turn that have the same one."""
    return (Segment(start, end),)
