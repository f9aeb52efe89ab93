"""What is compared can be compared.

## What it finds

A comparison of a word with a number, an order of what is no number, a list that is compared; `target.…` outside
`any(…)` and `all(…)`; a condition that is no question of true or false.

## Why it matters

It would have one answer whatever the model does.

## Example

    op note reversed by set_visibility {
      "Archive slots."
      ids: slots  "the slots"
      refuse too_small when any(target.tokens < "100") "{ids}: small"
      effect hold archived
    }

## Instead

    op note reversed by set_visibility {
      "Archive slots."
      ids: slots  "the slots"
      refuse too_small when any(target.tokens < 100) "{ids}: small"
      effect hold archived
    }

## Fix

Ask `count(ids) < 2`, `blank(content)`, `any(target.kind == toolResult)`, `all(target.tokens >= 100)`.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...check import Check, Subject
from ...diagnostics import Diagnostic

CHECK = Check("DCC639", "ops-comparison", "error", kind="ops")


def run(context: Subject) -> Iterator[Diagnostic]:
    yield from context.found(CHECK)
