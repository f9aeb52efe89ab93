"""A rule does not end before it starts.

## What it finds

A pair whose end is earlier than its start for every slot, whenever it is born.

## Why it matters

Such a slot is never on stage.

## Example

    life_cycle:
      note: [born+3, born+1]

## Instead

    life_cycle:
      note: [born+1, born+3]

## Fix

Swap the bounds, or move the end.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...grammar.ast import Bound
from ...grammar.bounds import show_bound
from ..check import Check, Context
from ..diagnostics import Diagnostic, Witness
from ..problem import At, Mend, quote

CHECK = Check("DCC205", "end-before-start", "error", kind="time")


def run(context: Context) -> Iterator[Diagnostic]:
    for name, entry in context.ruleset.life_cycle.items():
        start, end = entry.start, entry.end
        if _never(start, end, first_birth=0 if name == "system" else 1):
            yield from context.report(
                CHECK,
                ("life_cycle", name, "end"),
                f"the rule of {quote(name)} ends at {show_bound(end)}, before its start {show_bound(start)}",
                help="end it at its start or later",
                mends=(_swap(name, start, end),) if start.kind == end.kind else (),
                related=(("the start is here", ("life_cycle", name, "start")),),
                witness=Witness(name, 1),
            )


def _swap(name: str, start: Bound, end: Bound) -> Mend:
    """The mend that gives each bound the other's place."""
    places = At(("life_cycle", name, "start"), quoted=False), At(("life_cycle", name, "end"), quoted=False)
    return Mend("swap the bounds", False, ((places[0], show_bound(end)), (places[1], show_bound(start))))


def _never(start: Bound, end: Bound, *, first_birth: int) -> bool:
    """Whether no birth turn from ``first_birth`` on gives an end at the start or later."""
    if end.unit == "calls" or start.unit == "calls":
        return False
    match start.kind, end.kind:
        case ("turn", "turn") | ("born", "born"):
            return end.n < start.n
        case "born", "turn":
            return end.n < first_birth + start.n
    return False
