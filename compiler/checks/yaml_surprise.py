"""No value means something else than it says.

## What it finds

Values that YAML 1.1 reads in its own way: `on`, `yes`, `off`, `no` as booleans, `010` as 8, `1:30` as 90,
`1_000`, `.inf`; tags; numbers too long to hold.

## Why it matters

What a person writes and what a program reads must be the same.

## Example

    recall:
      top_k: 010

## Instead

    recall:
      top_k: 10

## Fix

Write true or false, a decimal number, or put the value in quotes.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..check import Check, Context
from ..diagnostics import Diagnostic

CHECK = Check("DCC006", "yaml-surprise", "error")


def run(context: Context) -> Iterator[Diagnostic]:
    yield from context.found(CHECK)
