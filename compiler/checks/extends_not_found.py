"""What a ruleset extends can be read.

## What it finds

A name under `extends` that is neither a shipped ruleset nor a readable file beside this one.

## Why it matters

Rules would be missing without a word.

## Example

    extends: [standrad]

## Instead

    extends: [standard]

## Fix

Name a shipped ruleset, or a path relative to the file.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..check import Check, Context
from ..diagnostics import Diagnostic

CHECK = Check("DCC104", "extends-not-found", "error")


def run(context: Context) -> Iterator[Diagnostic]:
    yield from context.found(CHECK)
