"""The ops that a ruleset names have no errors.

## What it finds

A file under `governance.ops` in which `dcc check` finds an error.

## Why it matters

An operation that cannot be read cannot be checked when the model calls it, so none is offered.

## Example

    # A file mine.ops beside this one says `op note { ids: slots effect hold archieved }`.
    governance: {ops: [cpat, mine.ops]}

## Instead

    # A file mine.ops beside this one says `op note { ids: slots effect hold archived }`.
    governance: {ops: cpat}

## Fix

Run `dcc check` on the file of operations, and mend what it finds.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..check import Check, Context
from ..diagnostics import Diagnostic

CHECK = Check("DCC622", "ops-broken", "error", kind="sections")


def run(context: Context) -> Iterator[Diagnostic]:
    yield from context.found(CHECK)
