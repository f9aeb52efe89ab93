"""A rule is a pair or a mapping.

## What it finds

An entry of life_cycle that is neither `[start, end]` nor a mapping.

## Why it matters

With one bound it is not clear whether the start or the end was meant.

## Example

    life_cycle:
      user: [born]

## Instead

    life_cycle:
      user: [born, null]

## Fix

Write both bounds, or a mapping in which `end` may be left out.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..check import Check, Context
from ..diagnostics import Diagnostic

CHECK = Check("DCC202", "not-a-pair", "error")


def run(context: Context) -> Iterator[Diagnostic]:
    yield from context.found(CHECK)
