"""A key stands once in its mapping.

## What it finds

The same key twice in one mapping. Keys that come in by a merge key (`<<`) may be written again.

## Why it matters

Most YAML readers keep the last of the two and say nothing.

## Example

    life_cycle:
      goal: [born, null]
      goal: [born, born+3]

## Instead

    life_cycle:
      goal: [born, born+3]

## Fix

Keep one of the two entries.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..check import Check, Context
from ..diagnostics import Diagnostic

CHECK = Check("DCC005", "duplicate-key", "error")


def run(context: Context) -> Iterator[Diagnostic]:
    yield from context.found(CHECK)
