"""Recall that is on finds something.

## What it finds

`top_k: 0` in a recall section that is on.

## Why it matters

It is legal, and no line is ever found.

## Example

    recall: {type: grep, search_fields: [user], top_k: 0}

## Instead

    recall: {type: grep, search_fields: [user], top_k: 3}

## Fix

Write the number of lines to find, or `type: none`.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..check import Check, Context
from ..diagnostics import Diagnostic

CHECK = Check("DCC503", "recall-finds-nothing", "info", kind="sections")


def run(context: Context) -> Iterator[Diagnostic]:
    recall = context.ruleset.recall
    if recall is not None and recall.type != "none" and recall.top_k == 0:
        yield from context.report(
            CHECK,
            ("recall", "top_k"),
            "recall is on and finds at most 0 lines",
            help="write for example top_k: 3, or type: none",
        )
