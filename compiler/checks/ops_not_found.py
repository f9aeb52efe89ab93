"""The ops that a ruleset names can be read.

## What it finds

A name under `governance.ops` that is neither a shipped file of operations nor a readable `.ops` file.

## Why it matters

The model would be offered fewer operations than the ruleset promises, without a word.

## Example

    governance: {ops: cpta}

## Instead

    governance: {ops: cpat}

## Fix

Name a shipped file (`cpat`), or a path relative to the ruleset.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..check import Check, Context
from ..diagnostics import Diagnostic

CHECK = Check("DCC621", "ops-not-found", "error", kind="sections")


def run(context: Context) -> Iterator[Diagnostic]:
    yield from context.found(CHECK)
