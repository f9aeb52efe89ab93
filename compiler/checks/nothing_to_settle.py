"""Settling has something to carry out.

## What it finds

A `settle` section where no rule makes a slot due: none counts calls, is idle, supersedes, has a ceiling,
offloads or becomes a stub.

## Why it matters

Ends in turns, patches and endings never wait, so the section does nothing.

## Example

    settle: {every: 16 calls, min_tokens: 8000}
    life_cycle:
      toolResult: [born, born+5]

## Instead

    settle: {every: 16 calls, min_tokens: 8000}
    life_cycle:
      toolResult: [born, born+40 calls]

## Fix

Leave the section out, or count ends in calls.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..check import Check, Context
from ..diagnostics import Diagnostic
from ..facts.lifetimes import becomes_due

CHECK = Check("DCC605", "nothing-to-settle", "info", kind="sections")


def run(context: Context) -> Iterator[Diagnostic]:
    if context.ruleset.settle is not None and not any(map(becomes_due, context.rows.values())):
        yield from context.report(
            CHECK,
            ("settle",),
            "no rule makes a slot due, so there is nothing to settle",
            help="leave settle out, or give an element an end in calls",
            on="key",
        )
