"""Labels are there where a rule needs them.

## What it finds

The bounds `cycle` and `labelled`, which ask the records of a labelled dataset each turn.

## Why it matters

A chat has no labels: a slot with such a bound stays on stage for ever. Scenarios whose steps carry `labels`
carry the rule out.

## Example

    life_cycle:
      user: [born, cycle]

## Instead

    life_cycle:
      user: [born, born+10]

## Fix

Use it with a labelled dataset only; else give the rule an end of its own.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..check import Check, Context
from ..diagnostics import Diagnostic, Witness
from ..problem import quote

CHECK = Check("DCC207", "needs-labels", "warning", kind="time")


def run(context: Context) -> Iterator[Diagnostic]:
    for name, entry in context.ruleset.life_cycle.items():
        if entry.end.kind in ("cycle", "labelled"):
            yield from context.report(
                CHECK,
                ("life_cycle", name, "end"),
                f"the end {quote(entry.end.kind)} of {quote(name)} needs a labelled dataset",
                help="run it with steps that carry `labels`, or write an end that needs none",
                witness=Witness(name, 9),
            )
