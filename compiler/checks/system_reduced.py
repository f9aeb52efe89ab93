"""System slots are full and verbatim.

## What it finds

A rule that reduces `system`: `retire` other than drop, `idle`, an end in calls, at_most, supersede; or
system in compact.fields.

## Why it matters

What the system prompt says holds as it is written (kernel.md, P2). Nothing touches a system slot, so `idle`
would only drop it in the middle of work.

## Example

    life_cycle:
      system: [born, idle+20 calls]

## Instead

    life_cycle:
      system: [born, null]

## Fix

Let it stay, or end it at a turn.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...grammar.bounds import show_bound
from ..check import Check, Context
from ..diagnostics import Diagnostic
from ..problem import KeyPath

CHECK = Check("DCC215", "system-reduced", "error", kind="form")


def run(context: Context) -> Iterator[Diagnostic]:
    found: list[tuple[KeyPath, str]] = []
    entry = context.ruleset.life_cycle.get("system")
    if entry is not None:
        if entry.end.kind == "idle" or entry.end.unit == "calls":
            found.append((("life_cycle", "system", "end"), f"the end {show_bound(entry.end)}"))
        if entry.retire != "drop":
            found.append((("life_cycle", "system", "retire"), f"retire: {entry.retire}"))
        if entry.at_most is not None:
            found.append((("life_cycle", "system", "at_most"), "at_most"))
        if entry.supersede:
            found.append((("life_cycle", "system", "supersede"), "supersede"))
    if context.ruleset.compact is not None and "system" in context.ruleset.compact.fields:
        index = context.ruleset.compact.fields.index("system")
        found.append((("compact", "fields", index), "compaction"))
    for path, what in found:
        message = f"{what} would reduce system slots, which are full and verbatim while on stage"
        yield from context.report(CHECK, path, message, help="leave system out, or end it at a turn")
