"""The schema of a canon store is valid JSON.

## What it finds

A `schema.json` that does not parse: a comma after the last entry, a comment, an open quote.

## Why it matters

None of its rules are enforced, and every write to the store says so.

## Example

    {"schema_version": 1, "article": {"title": {"required": true,}}}

## Instead

    {"schema_version": 1, "article": {"title": {"required": true}}}

## Fix

Mend the place that is shown; the cause often stands just before it.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..check import Check, Context
from ..diagnostics import Diagnostic

CHECK = Check("DCC011", "not-json", "error")


def run(context: Context) -> Iterator[Diagnostic]:
    yield from context.found(CHECK)
