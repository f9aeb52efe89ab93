"""A ruleset has a sane size.

## What it finds

A text, a value or a nesting far beyond any ruleset, aliases that expand without measure, and a value that
holds itself.

## Why it matters

A few lines of aliases can stand for a thousand million values. They are counted before anything is built.

## Example

    a: &a [x, x, x, x]
    b: &b [*a, *a, *a, *a]
    c: [*b, *b, *b, *b]   # and so on

## Instead

    a: [x, x, x, x]

## Fix

Split the file and join the parts by `extends`; use aliases for what is really the same.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..check import Check, Context
from ..diagnostics import Diagnostic

CHECK = Check("DCC004", "too-large", "error")


def run(context: Context) -> Iterator[Diagnostic]:
    yield from context.found(CHECK)
