"""No element waits for its own end.

## What it finds

`until_end(x)` in the rule of x itself, `until_goal_end` in the rule of goal, and rules that wait for each other
in a circle.

## Why it matters

As long as the slot is on stage its element has not ended, so it stays for ever.

## Example

    life_cycle:
      goal: [born, until_goal_end]

## Instead

    life_cycle:
      goal: [born, null]

## Fix

Write null, or the element that really governs it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..check import Check, Context
from ..diagnostics import Diagnostic, Witness
from ..ir.life_cycle import Entry
from ..problem import At, Mend, quote

CHECK = Check("DCC217", "waits-for-itself", "warning", kind="time")


def run(context: Context) -> Iterator[Diagnostic]:
    entries = context.ruleset.life_cycle
    for name in entries:
        circle = _circle(name, entries)
        if not circle:
            continue
        through = "".join(f", which waits for {quote(other)}" for other in circle[1:])
        yield from context.report(
            CHECK,
            ("life_cycle", name, "end"),
            f"{quote(name)} waits for the end of {quote(circle[0])}{through}: it never comes",
            help="write null for no end, or name another element",
            mends=(Mend("write null", False, ((At(("life_cycle", name, "end"), quoted=False), "null"),)),),
            witness=Witness(name, 9),
        )


def _circle(name: str, entries: Mapping[str, Entry]) -> list[str]:
    """The elements that ``name`` waits for, one for the other, back to itself; empty when it does not."""
    way: dict[str, None] = {}
    at = name
    while at in entries:
        governor = entries[at].end.element
        if governor is None or governor in way:
            return []
        way[governor] = None
        if governor == name:
            return list(way)
        at = governor
    return []
