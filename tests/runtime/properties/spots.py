"""Spots and windows of the naive model: from when to when a rule wants a slot on stage."""

from __future__ import annotations

from dataclasses import dataclass

from dcc.compiler.program import Rule
from dcc.grammar.ast import Bound

#: ("turn", 3): turn 3 and all its calls; ("call", 17): the call with ordinal 17.
Spot = tuple[str, int]


@dataclass(eq=False)
class Window:
    """From when to when a rule wants a slot on stage; ``last`` None is open."""

    start: Spot
    last: Spot | None


def reached(spot: Spot, moment: tuple[int, int]) -> bool:
    """Whether a spot lies at or before the moment."""
    return moment[0] >= spot[1] if spot[0] == "turn" else moment[1] >= spot[1]


def passed(spot: Spot, moment: tuple[int, int]) -> bool:
    """Whether a spot lies before the moment."""
    return moment[0] > spot[1] if spot[0] == "turn" else moment[1] > spot[1]


def is_within(window: Window, moment: tuple[int, int]) -> bool:
    """Whether the moment lies in the window."""
    return reached(window.start, moment) and (window.last is None or not passed(window.last, moment))


def start_of(bound: Bound, turn: int, first: int) -> Spot:
    """The first turn, or the first call, of a rule for a slot born at ``turn`` and shown from ``first`` on."""
    if bound.unit == "calls":
        return ("call", first + bound.n)
    return ("turn", bound.n if bound.kind == "turn" else turn + bound.n)


def windows_of(rule: Rule, turn: int, first: int) -> list[Window]:
    """The one window of a slot at its birth; none when the rule ends before it starts."""
    start, last = start_of(rule.start, turn, first), end_of(rule.end, turn)
    return [] if last and start[0] == "turn" and last < start else [Window(start, last)]


def end_of(bound: Bound, turn: int) -> Spot | None:
    """The last turn that the clock gives a slot born at ``turn``; None when something else decides."""
    if bound.kind == "turn":
        return ("turn", bound.n)
    return ("turn", turn + bound.n) if bound.kind == "born" and bound.unit == "turns" else None
