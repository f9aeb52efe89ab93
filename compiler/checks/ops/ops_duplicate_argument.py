"""In an operation each thing is named once.

## What it finds

An argument, a guard, a gate, a reversal, an option or a word of a `word(…)` that stands there twice.

## Why it matters

One of the two would be passed over without a word.

## Example

    op note reversed by set_visibility {
      "Archive slots."
      ids: slots  "the slots"
      reason: text  "why"
      reason: texts  "reasons"
      effect hold archived
    }

## Instead

    op note reversed by set_visibility {
      "Archive slots."
      ids: slots  "the slots"
      reason: text  "why"
      effect hold archived
    }

## Fix

Remove one of them, or rename it.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...check import Check, Subject
from ...diagnostics import Diagnostic

CHECK = Check("DCC636", "ops-duplicate-argument", "error", kind="ops")


def run(context: Subject) -> Iterator[Diagnostic]:
    yield from context.found(CHECK)
