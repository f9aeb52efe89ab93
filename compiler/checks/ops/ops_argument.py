"""An operation speaks of arguments that it declares.

## What it finds

An expression, an effect or the `{place}` of a text that names an argument which the operation has not.

## Why it matters

It could never be filled in.

## Example

    op note reversed by set_visibility {
      "Archive slots."
      ids: slots  "the slots"
      reason: text  "why"
      refuse no_reason when blank(raeson) "say why"
      effect hold archived
    }

## Instead

    op note reversed by set_visibility {
      "Archive slots."
      ids: slots  "the slots"
      reason: text  "why"
      refuse no_reason when blank(reason) "say why"
      effect hold archived
    }

## Fix

Declare the argument, or write the name of one that is declared.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...check import Check, Subject
from ...diagnostics import Diagnostic

CHECK = Check("DCC634", "ops-argument", "error", kind="ops")


def run(context: Subject) -> Iterator[Diagnostic]:
    yield from context.found(CHECK)
