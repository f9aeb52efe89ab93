"""Places: when something in a slot's life begins or ends (kernel.md section 1).

A place is one whole number, so that a million of them stay small. 0 and up is a **turn bound**: all calls
of that turn. Below 0 is a **call bound**: ``-k`` is the call with ordinal k. People see ``3`` and ``"#17"``.
A moment is the pair (turn, ordinal) of one request.
"""

from __future__ import annotations

from collections.abc import Callable

Place = int


def at_call(ordinal: int) -> Place:
    """The call bound of an ordinal (from 1; 0 is the place before the first call)."""
    return -ordinal


def begun(place: Place, turn: int, ordinal: int) -> bool:
    """Whether a place, read as a start, lies at or before the request (turn, ordinal)."""
    return turn >= place if place >= 0 else ordinal >= -place


def over(place: Place, turn: int, ordinal: int) -> bool:
    """Whether a place, read as an end, lies before the request (turn, ordinal)."""
    return turn > place if place >= 0 else ordinal > -place


def after(place: Place) -> Place:
    """The place that begins where ``place``, read as an end, is over."""
    return place + 1 if place >= 0 else place - 1


def show_place(place: Place | None) -> int | str | None:
    """A place as people and JSON see it: a turn number, ``"#17"`` for a call, None for no end."""
    if place is None or place >= 0:
        return place
    return f"#{-place}"


def sort_key(place: Place, turn_of: Callable[[int], int], *, end: bool) -> tuple[int, float]:
    """A key that orders turn bounds and call bounds in time; ``turn_of`` gives the turn of an ordinal."""
    if place >= 0:
        return (place, float("inf") if end else 0.0)
    return (turn_of(-place), float(-place))
