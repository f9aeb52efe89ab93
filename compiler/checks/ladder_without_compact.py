"""The ladder can do what it says.

## What it finds

A step `compact` in the overflow ladder, and no compact section.

## Why it matters

Compaction needs its fields and its prompt; without them the step fails each time.

## Example

    recovery: {overflow: [{compact: 3}, give_up]}

## Instead

    recovery: {overflow: [{compact: 3}, give_up]}
    compact:
      fields: [user, assistant]
      compressors: {summary: {prompt: "{content}"}}

## Fix

Add a compact section, or take the step out.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..check import Check, Context
from ..diagnostics import Diagnostic

CHECK = Check("DCC604", "ladder-without-compact", "warning", kind="sections")


def run(context: Context) -> Iterator[Diagnostic]:
    recovery = context.ruleset.recovery
    if recovery is None or context.ruleset.compact is not None:
        return
    for index, step in enumerate(recovery.overflow):
        if step.do == "compact":
            yield from context.report(
                CHECK,
                ("recovery", "overflow", index),
                "the ladder compacts, and there is no compact section",
                help="add compact with fields and a prompt, or leave the step out",
            )
            return
