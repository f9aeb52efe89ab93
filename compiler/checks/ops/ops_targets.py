"""An operation has one argument with the slots it acts on.

## What it finds

No argument of type `slots` or `slot`, or more than one.

## Why it matters

Refusals ask about the targets, effects act on them: it must be plain which they are.

## Example

    op note reversed by set_visibility {
      "Archive slots."
      first: slot  "one slot"
      second: slot  "another"
      effect hold archived
    }

## Instead

    op note reversed by set_visibility {
      "Archive slots."
      ids: slots  "the slots"
      effect hold archived
    }

## Fix

Declare `ids: slots`, or `ids: slot` for an operation on exactly one.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...check import Check, Subject
from ...diagnostics import Diagnostic

CHECK = Check("DCC645", "ops-targets", "error", kind="ops")


def run(context: Subject) -> Iterator[Diagnostic]:
    yield from context.found(CHECK)
