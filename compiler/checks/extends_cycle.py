"""A ruleset does not extend itself.

## What it finds

A ruleset that extends itself, directly or through others.

## Why it matters

There is no order in which the rules could be laid over each other.

## Example

    # a.yaml
    extends: [b.yaml]   # and b.yaml extends a.yaml

## Instead

    # a.yaml
    extends: [common.yaml]

## Fix

Move what both need to a third file, and let both extend that.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..check import Check, Context
from ..diagnostics import Diagnostic

CHECK = Check("DCC105", "extends-cycle", "error")


def run(context: Context) -> Iterator[Diagnostic]:
    yield from context.found(CHECK)
