"""The operation that reverses another one exists.

## What it finds

`reversed by x` where x is declared neither in the same file nor in a shipped one, or is not among the operations
of a ruleset.

## Why it matters

The reversal is what the manifest and the reference page tell the model to call.

## Example

    op put_away reversed by bring_back {
      "Archive slots."
      ids: slots  "the slots"
      effect hold archived
    }

## Instead

    op put_away reversed by set_visibility {
      "Archive slots."
      ids: slots  "the slots"
      effect hold archived
    }

## Fix

Name an operation that is there. Without `reversed by`, an undo takes an operation back all the same.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..check import Check, Subject
from ..diagnostics import Diagnostic

CHECK = Check("DCC643", "ops-reverse", "warning", kind="sections")


def run(context: Subject) -> Iterator[Diagnostic]:
    yield from context.found(CHECK)
