"""An effect or a guard has what it needs.

## What it finds

An effect without an option that it needs, with one that it does not take, or with an argument of another type; the
guard `preserve` without an argument `preserve`.

## Why it matters

The operation could be called, and not be carried out.

## Example

    op note reversed by set_visibility {
      "Sum slots up."
      ids: slots  "the slots"
      content: text  "the summary"
      effect hold archived
      effect bear { description: content }
    }

## Instead

    op note reversed by set_visibility {
      "Sum slots up."
      ids: slots  "the slots"
      content: text  "the summary"
      effect hold archived
      effect bear { content: content }
    }

## Fix

`represent ref` takes note and hint; `bear` takes content, and may take description and prefix; `replace` takes
content, and may take description; `purge` takes fields, and may take keep. All but prefix name an argument.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...check import Check, Subject
from ...diagnostics import Diagnostic

CHECK = Check("DCC638", "ops-effect", "error", kind="ops")


def run(context: Subject) -> Iterator[Diagnostic]:
    yield from context.found(CHECK)
