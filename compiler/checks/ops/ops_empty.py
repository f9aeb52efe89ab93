"""A file of operations declares one.

## What it finds

A `.ops` file without any operation.

## Why it matters

A ruleset that names it offers nothing by it.

## Example

    # dcc: ops
    # op note will be written here

## Instead

    op note reversed by set_visibility {
      "Archive slots."
      ids: slots  "the slots"
      effect hold archived
    }

## Fix

Declare an operation, or remove the file.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...check import Check, Subject
from ...diagnostics import Diagnostic

CHECK = Check("DCC647", "ops-empty", "warning", kind="ops")


def run(context: Subject) -> Iterator[Diagnostic]:
    yield from context.found(CHECK)
