"""Recall knows where to look.

## What it finds

`recall.type` on, and no `search_fields`.

## Why it matters

Recall looks only at slots of these elements; without any it finds nothing.

## Example

    recall:
      type: grep

## Instead

    recall:
      type: grep
      search_fields: [user, assistant]

## Fix

Name at least one element.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..check import Check, Context
from ..diagnostics import Diagnostic

CHECK = Check("DCC501", "recall-search-fields", "error", kind="sections")


def run(context: Context) -> Iterator[Diagnostic]:
    recall = context.ruleset.recall
    if recall is not None and recall.type != "none" and not recall.search_fields:
        yield from context.report(
            CHECK,
            ("recall", "search_fields"),
            f"recall is on (type {recall.type}) and has no search_fields",
            help="name the elements to search, such as search_fields: [user, assistant], or write type: none",
        )
