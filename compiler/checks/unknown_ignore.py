"""A comment that silences findings names them.

## What it finds

A `# dcc: ignore` without codes, or with a word in its brackets that is no code and no name of a check.

## Why it matters

Such a comment silences nothing. One without codes would silence what nobody has seen yet.

## Example

    life_cycle:
      user: [born, cycle]  # dcc: ignore[need-labels] our runs have them

## Instead

    life_cycle:
      user: [born, cycle]  # dcc: ignore[needs-labels] our runs have them

## Fix

Write codes or names in brackets, parted by commas.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..check import Check, Context
from ..diagnostics import Diagnostic

CHECK = Check("DCC010", "unknown-ignore", "warning")


def run(context: Context) -> Iterator[Diagnostic]:
    yield from context.found(CHECK)
