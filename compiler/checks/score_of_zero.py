"""What recall finds has a word in common with the message.

## What it finds

`min_score: 0` in a recall section that is on.

## Why it matters

A line without a single word in common is never found, so 0 says the same as 1.

## Example

    recall: {type: grep, search_fields: [user], min_score: 0}

## Instead

    recall: {type: grep, search_fields: [user], min_score: 1}

## Fix

Write 1 or more.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..check import Check, Context
from ..diagnostics import Diagnostic
from ..problem import respell

CHECK = Check("DCC506", "score-of-zero", "warning", kind="sections")


def run(context: Context) -> Iterator[Diagnostic]:
    recall = context.ruleset.recall
    if recall is not None and recall.type != "none" and recall.min_score == 0:
        yield from context.report(
            CHECK,
            ("recall", "min_score"),
            "min_score is 0 and is read as 1: a line without a word in common is never found",
            help="write min_score: 1",
            mends=(respell(("recall", "min_score"), "1"),),
        )
