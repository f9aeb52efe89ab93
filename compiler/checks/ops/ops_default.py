"""A default fits its argument.

## What it finds

A default of another type than the argument, or none of its words; a default of slots or texts.

## Why it matters

What the model leaves out would be refused.

## Example

    op note reversed by set_visibility {
      "Archive or hide slots."
      ids: slots  "the slots"
      how: word(archived|hidden) = archive  "how"
      effect hold how
    }

## Instead

    op note reversed by set_visibility {
      "Archive or hide slots."
      ids: slots  "the slots"
      how: word(archived|hidden) = archived  "how"
      effect hold how
    }

## Fix

Write a value that the argument can have, or leave the default out.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...check import Check, Subject
from ...diagnostics import Diagnostic

CHECK = Check("DCC646", "ops-default", "error", kind="ops")


def run(context: Subject) -> Iterator[Diagnostic]:
    yield from context.found(CHECK)
