"""Keys are text.

## What it finds

A key that is a number, a boolean, null, a list or a mapping.

## Why it matters

Elements, fields and sections are named by text; `10:` and `"10":` would be two names for one thing.

## Example

    life_cycle:
      10: [born, null]

## Instead

    life_cycle:
      "10": [born, null]

## Fix

Put the key in quotes.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..check import Check, Context
from ..diagnostics import Diagnostic

CHECK = Check("DCC007", "key-not-text", "error")


def run(context: Context) -> Iterator[Diagnostic]:
    yield from context.found(CHECK)
