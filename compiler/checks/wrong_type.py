"""Every value is of the kind its key takes.

## What it finds

Text where a number belongs, a list where a mapping belongs, and so on. Nothing is converted.

## Why it matters

A converted value is a guess: `"3"` may be a name, `1.0` may be a mistake for 10.

## Example

    recall:
      top_k: many

## Instead

    recall:
      top_k: 3

## Fix

Write the kind of value that the message names.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..check import Check, Context
from ..diagnostics import Diagnostic

CHECK = Check("DCC102", "wrong-type", "error")


def run(context: Context) -> Iterator[Diagnostic]:
    yield from context.found(CHECK)
