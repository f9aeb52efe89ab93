"""A file of operations can be read.

## What it finds

A place in a `.ops` file where something else was expected: an operation that does not parse. The others of the
file are still checked.

## Why it matters

What cannot be read is not offered to the model.

## Example

    op note reversed by set_visibility {
      "Archive slots."
      ids slots  "the slots"
      effect hold archived
    }

## Instead

    op note reversed by set_visibility {
      "Archive slots."
      ids: slots  "the slots"
      effect hold archived
    }

## Fix

Write what was expected. In an operation stand, in this order: what it says, arguments, refusals, guards, effects.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...check import Check, Subject
from ...diagnostics import Diagnostic

CHECK = Check("DCC631", "ops-syntax", "error", kind="ops")


def run(context: Subject) -> Iterator[Diagnostic]:
    yield from context.found(CHECK)
