"""A slot has a turn from which it is on stage.

## What it finds

A start that is no turn: `null`, an event, a number of calls, `idle`.

## Why it matters

The start must be known when the slot is born.

## Example

    life_cycle:
      user: [null, null]

## Instead

    life_cycle:
      user: [born, null]

## Fix

Write born, born+n or a turn.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...grammar.bounds import show_bound
from ..check import Check, Context
from ..diagnostics import Diagnostic
from ..problem import quote, respell

CHECK = Check("DCC204", "bad-start", "error", kind="form")


def run(context: Context) -> Iterator[Diagnostic]:
    for name, entry in context.ruleset.life_cycle.items():
        start = entry.start
        if start.kind == "turn" or (start.kind == "born" and start.unit == "turns"):
            continue
        what = "open" if start.kind == "open" else quote(show_bound(start))
        yield from context.report(
            CHECK,
            ("life_cycle", name, "start"),
            f"the start of {quote(name)} is {what}, expected born, born+n or a turn",
            help="write born for a slot that is on stage from its birth",
            mends=(respell(("life_cycle", name, "start"), "born"),),
        )
