"""A comment that silences a finding has a finding to silence.

## What it finds

A `# dcc: ignore[…]` or `# dcc: ignore-file[…]` whose code finds nothing on the lines it is for.

## Why it matters

What it was written for is gone; the next mistake of that kind in the same place would go unseen.

## Example

    # dcc: ignore[DCC205] not decided yet
    life_cycle:
      goal: [born, null]

## Instead

    life_cycle:
      goal: [born, null]

## Fix

Remove the code, or the comment when no code is left in it. `dcc check --fix` does it once the file has no
error: an error may hide what the comment is for.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..check import Check, Context
from ..diagnostics import Diagnostic

CHECK = Check("DCC009", "unused-ignore", "warning")


def run(context: Context) -> Iterator[Diagnostic]:
    yield from context.found(CHECK)
