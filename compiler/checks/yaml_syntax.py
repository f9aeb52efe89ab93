"""A ruleset is one valid YAML document.

## What it finds

Text that does not parse as YAML: an open bracket or quote, a wrong indentation, a second document.

## Why it matters

Nothing after the error can be trusted, so nothing of the file is used.

## Example

    life_cycle:
      user: [born, null

## Instead

    life_cycle:
      user: [born, null]

## Fix

Mend the place that is shown; the cause often stands just before it.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..check import Check, Context
from ..diagnostics import Diagnostic

CHECK = Check("DCC003", "yaml-syntax", "error")


def run(context: Context) -> Iterator[Diagnostic]:
    yield from context.found(CHECK)
