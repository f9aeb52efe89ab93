"""An operation has an effect.

## What it finds

An operation without a line `effect …`.

## Why it matters

The model would be told that it was applied, and nothing would have happened.

## Example

    op note reversed by set_visibility {
      "Archive slots."
      ids: slots  "the slots"
    }

## Instead

    op note reversed by set_visibility {
      "Archive slots."
      ids: slots  "the slots"
      effect hold archived
    }

## Fix

Add an effect: hold archived|hidden, lift, represent full|ref|stub, bear, replace or purge.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...check import Check, Subject
from ...diagnostics import Diagnostic

CHECK = Check("DCC637", "ops-without-effect", "error", kind="ops")


def run(context: Subject) -> Iterator[Diagnostic]:
    yield from context.found(CHECK)
