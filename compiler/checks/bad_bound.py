"""Every bound of a rule is one of the language.

## What it finds

A start or end that is no bound: `born+`, `born+1e2`, a negative turn, a boolean, a fraction, blank text, an
unknown name.

## Why it matters

A bound that is checked only at a birth fails in the middle of a session.

## Example

    life_cycle:
      goal: [born, born+1e2]

## Instead

    life_cycle:
      goal: [born, born+100]

## Fix

Write one of the bounds that the message names; `null` is no end.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..check import Check, Context
from ..diagnostics import Diagnostic

CHECK = Check("DCC201", "bad-bound", "error")


def run(context: Context) -> Iterator[Diagnostic]:
    yield from context.found(CHECK)
