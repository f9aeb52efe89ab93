"""A ruleset says something.

## What it finds

A file without content, or with comments only.

## Why it matters

It is valid, and gives the rules that ship with every ruleset; more likely the content was lost.

## Example

    # nothing here yet

## Instead

    extends: [standard]

## Fix

Write a section, or extend a shipped ruleset.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..check import Check, Context
from ..diagnostics import Diagnostic

CHECK = Check("DCC008", "empty-ruleset", "warning")


def run(context: Context) -> Iterator[Diagnostic]:
    yield from context.found(CHECK)
