"""What stays fits into the window.

## What it finds

A limit in tokens (governance.window or max_context) that user, assistant and think slots must pass at some
turn, and no compact section.

## Why it matters

Only compaction makes the talk shorter. Without it every session of that length ends with an overflow.

## Example

    governance: {window: 32000}

## Instead

    governance: {window: 32000}
    compact:
      fields: [user, assistant]
      compressors: {summary: {prompt: "{content}"}}

## Fix

Add compact, or give user and assistant an end. `governance.sizes: {user: 50, assistant: 300}` says how many
tokens a turn adds, where 100 and 400 are far off.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..check import Check, Context
from ..diagnostics import Diagnostic, Witness
from ..facts.growth import limit_of, overflow_turn

CHECK = Check("DCC822", "window-overflow", "warning", kind="growth")


def run(context: Context) -> Iterator[Diagnostic]:
    section = context.ruleset.governance
    if section is None or context.ruleset.compact is not None:
        return
    limit = limit_of(section)
    found = overflow_turn(context.rows, section.sizes, limit) if limit is not None and limit > 0 else None
    if found is None:
        return
    heaviest, turn = found
    key = "window" if section.max_context is None else "max_context"
    yield from context.report(
        CHECK,
        ("governance", key),
        f"the context passes {limit:,} tokens at turn {turn:,}: most of it is {heaviest}, and nothing compacts it",
        help="add compact with fields: [user, assistant], or say what a turn adds in governance.sizes",
        witness=Witness(heaviest, turn),
    )
