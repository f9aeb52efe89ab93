"""Slots that leave by calls leave together.

## What it finds

Ends in calls, idle calls, supersede or at_most, for what comes with every call, and no `settle` section.

## Why it matters

In a tool loop such a slot leaves at nearly every call. Each time the request changes in the middle, and a
prompt cache ends there.

## Example

    life_cycle:
      toolResult: [born, born+4 calls]

## Instead

    settle: {every: 16 calls, min_tokens: 8000}
    life_cycle:
      toolResult: [born, born+4 calls]

## Fix

Add a settle section: what is due then waits and leaves in batches.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..check import Check, Context
from ..diagnostics import Diagnostic, Witness
from ..facts.lifetimes import OF_EVERY_CALL, retires_by_call
from ..problem import quote

CHECK = Check("DCC824", "breaks-every-call", "warning", kind="growth")


def run(context: Context) -> Iterator[Diagnostic]:
    settle = context.ruleset.settle
    if settle is not None and (settle.every > 1 or settle.min_tokens > 0):
        return
    for name, entry in context.ruleset.life_cycle.items():
        row = context.rows.get(name)
        if row is None or (entry.of is None and name not in OF_EVERY_CALL) or not retires_by_call(row):
            continue
        key = "supersede" if entry.supersede else "at_most" if entry.end.unit != "calls" else "end"
        yield from context.report(
            CHECK,
            ("life_cycle", name, key),
            f"{quote(name)} leaves by calls and nothing settles: a tool loop breaks the prompt cache at nearly "
            f"every call",
            help="add for example settle: {every: 16 calls, min_tokens: 8000}",
            witness=Witness(name, 1),
        )
