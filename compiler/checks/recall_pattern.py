"""A pattern trigger has a pattern.

## What it finds

A recall trigger of type `pattern` without a pattern, or with a blank one.

## Why it matters

It could never fire, or always.

## Example

    recall:
      type: grep
      search_fields: [user]
      trigger: pattern

## Instead

    recall:
      type: grep
      search_fields: [user]
      trigger: {type: pattern, pattern: "remember|before"}

## Fix

Write the pattern, or use always, never or manual.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..check import Check, Context
from ..diagnostics import Diagnostic

CHECK = Check("DCC502", "recall-pattern", "error", kind="sections")


def run(context: Context) -> Iterator[Diagnostic]:
    recall = context.ruleset.recall
    if recall is not None and recall.trigger.type == "pattern" and not (recall.trigger.pattern or "").strip():
        yield from context.report(
            CHECK,
            ("recall", "trigger"),
            "the recall trigger `pattern` has no pattern",
            help='write trigger: {type: pattern, pattern: "remember|before"}',
        )
