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

from ...grammar.ast import BORN
from ..check import Check, Context
from ..diagnostics import Diagnostic, Witness
from ..facts.lifetimes import OF_EVERY_CALL, retires_by_call
from ..problem import quote

CHECK = Check("DCC824", "breaks-every-call", "warning", kind="growth")


def run(context: Context) -> Iterator[Diagnostic]:
    settle = context.ruleset.settle
    if settle is not None and (settle.every > 1 or settle.min_tokens > 0):
        return
    calls = [row for row in context.rows.values() if "toolCall" in (row.name, row.of)]
    sized = any(match.field == "tokens" for row in context.rows.values() for match in row.match)
    for name, entry in context.ruleset.life_cycle.items():
        row = context.rows.get(name)
        if row is None or (entry.of is None and name not in OF_EVERY_CALL) or not retires_by_call(row):
            continue
        # A turn that is fixed ends slots before or after any loop; a result is on stage only while its call is.
        shown = all(one.rule.start == BORN and one.rule.end.kind != "turn" for one in (row, *calls))
        # Where all slots have one key each touches the others, and none is idle while the loop goes on.
        touched = entry.end.kind == "idle" and entry.key in entry.match
        # What is too small to go may be all that refinements by size leave to the row.
        small = bool(row.min_tokens) and sized
        if not shown or touched or small or name in context.untaken:
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
