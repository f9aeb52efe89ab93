"""No element waits for its own end.

## What it finds

`until_end(x)` in the rule of x itself, `until_goal_end` in the rule of goal.

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

from collections.abc import Iterator

from ..check import Check, Context
from ..diagnostics import Diagnostic
from ..problem import quote

CHECK = Check("DCC217", "waits-for-itself", "warning")


def run(context: Context) -> Iterator[Diagnostic]:
    for name, entry in context.ruleset.life_cycle.items():
        if entry.end.element == name:
            yield from context.report(
                CHECK,
                ("life_cycle", name, "end"),
                f"{quote(name)} ends when {quote(name)} ends: it never does",
                help="write null for no end, or name another element",
            )
