"""A rule gives its slots a time on stage.

## What it finds

A refinement of toolCall that waits for an error, which only a result can be; a system slot that ends in turn 0,
before the first request. An end in calls waits for the first request that holds the slot, however late it starts.

## Why it matters

The rule reads as if it showed something, and no request ever holds it.

## Example

    life_cycle:
      system: [born, born]

## Instead

    life_cycle:
      system: [born, born+1]

## Fix

Move the end behind the first request that shall hold the slot.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..check import Check, Context
from ..diagnostics import Diagnostic, Witness
from ..facts.matches import asks_for_error
from ..ir.life_cycle import Entry
from ..problem import quote

CHECK = Check("DCC222", "never-seen", "warning", kind="time")


def run(context: Context) -> Iterator[Diagnostic]:
    for row in context.rows.values():
        if asks_for_error(row):
            yield from context.report(
                CHECK,
                ("life_cycle", row.name, "match", "is_error"),
                f"{quote(row.name)} takes no slot: a tool call is no error, its result may be one",
                help="write of: chain, or of: toolResult",
                witness=Witness(row.name, 1),
            )
    for name, entry in context.ruleset.life_cycle.items():
        reason = _reason(name, entry)
        if reason is not None:
            yield from context.report(
                CHECK,
                ("life_cycle", name, "end"),
                f"{quote(name)} is never on stage: {reason}",
                help="end it later",
                related=(("the start is here", ("life_cycle", name, "start")),),
                witness=Witness(name, 1),
            )


def _reason(name: str, entry: Entry) -> str | None:
    start, end = entry.start, entry.end
    if name == "system" and entry.retire == "drop":
        over = end.n == 0 and end.unit == "turns" and end.kind in ("born", "turn")
        if over and start.n == 0 and start.kind in ("born", "turn"):
            return "it is over before turn 1, and turn 0 has no request"
    return None
