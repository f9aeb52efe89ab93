"""Every refinement takes some slots.

## What it finds

A refinement all of whose slots a later one takes, because that matches the same or more.

## Why it matters

The last refinement in file order wins, so the earlier rule is never used.

## Example

    life_cycle:
      notes: {of: toolResult, match: {tool: read, args.path: notes.md}, end: born+9}
      read: {of: toolResult, match: {tool: read}, end: born+2}

## Instead

    life_cycle:
      read: {of: toolResult, match: {tool: read}, end: born+2}
      notes: {of: toolResult, match: {tool: read, args.path: notes.md}, end: born+9}

## Fix

Write the general refinement before the special ones.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..check import Check, Context
from ..diagnostics import Diagnostic, Witness
from ..facts.matches import asks_for_error, shadowed
from ..problem import quote

CHECK = Check("DCC223", "shadowed-refinement", "warning", kind="time")


def run(context: Context) -> Iterator[Diagnostic]:
    for row, hiding in shadowed(context.rows.values()):
        if asks_for_error(row):  # it takes no slot anyway (never-seen)
            continue
        yield from context.report(
            CHECK,
            ("life_cycle", row.name),
            f"{quote(row.name)} takes no slot: {quote(hiding.name)}, which comes later, matches all of them",
            help=f"move {quote(row.name)} behind {quote(hiding.name)}, or remove it",
            on="key",
            related=((f"{quote(hiding.name)} is here", ("life_cycle", hiding.name)),),
            witness=Witness(row.name, 1),
        )
