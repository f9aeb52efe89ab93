"""A pattern is used by the trigger.

## What it finds

A pattern in a recall trigger that is not of the type pattern.

## Why it matters

always, never and manual look at no pattern; recall then does not do what the pattern says.

## Example

    recall: {type: grep, search_fields: [user], trigger: {type: always, pattern: "before"}}

## Instead

    recall: {type: grep, search_fields: [user], trigger: {type: pattern, pattern: "before"}}

## Fix

Write `type: pattern`, or leave the pattern out.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..check import Check, Context
from ..diagnostics import Diagnostic

CHECK = Check("DCC504", "unused-pattern", "warning", kind="sections")


def run(context: Context) -> Iterator[Diagnostic]:
    recall = context.ruleset.recall
    if recall is not None and recall.trigger.type != "pattern" and recall.trigger.pattern is not None:
        yield from context.report(
            CHECK,
            ("recall", "trigger", "pattern"),
            f"the recall trigger is {recall.trigger.type}, so its pattern is never looked at",
            help="write type: pattern, or leave the pattern out",
            on="key",
        )
