"""Compaction knows what to fold.

## What it finds

A `compact` section without `fields`, or with an empty list.

## Why it matters

Only slots of these elements are summarised and collapsed; without any the section does nothing.

## Example

    compact:
      fields: []
      compressors: {summary: {prompt: "{content}"}}

## Instead

    compact:
      fields: [user, assistant]
      compressors: {summary: {prompt: "{content}"}}

## Fix

Name at least one element.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..check import Check, Context
from ..diagnostics import Diagnostic

CHECK = Check("DCC402", "compact-fields", "error", kind="sections")


def run(context: Context) -> Iterator[Diagnostic]:
    compact = context.ruleset.compact
    if compact is not None and not compact.fields:
        yield from context.report(
            CHECK,
            ("compact", "fields"),
            "compact has no fields",
            help="name the elements that it folds, such as fields: [user, assistant]",
        )
