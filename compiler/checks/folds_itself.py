"""No element folds itself.

## What it finds

An element that people may patch (goal, constraint, …) in compact.fields.

## Why it matters

When it is over, it would fold its own slots; dcc then does not collapse at all, and says so by a notice.

## Example

    compact:
      fields: [user, assistant, goal]
      compressors: {summary: {prompt: "{content}"}}

## Instead

    compact:
      fields: [user, assistant]
      compressors: {summary: {prompt: "{content}"}}

## Fix

Leave patchable elements out of compact.fields.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..check import Check, Context
from ..diagnostics import Diagnostic
from ..lower import patchable_elements
from ..problem import quote

CHECK = Check("DCC403", "folds-itself", "warning", kind="patches")


def run(context: Context) -> Iterator[Diagnostic]:
    compact = context.ruleset.compact
    if compact is None:
        return
    patchable = patchable_elements(context.ruleset) - {"system"}
    for index, name in enumerate(compact.fields):
        if name in patchable:
            yield from context.report(
                CHECK,
                ("compact", "fields", index),
                f"{quote(name)} can be patched, and would fold itself when it ends",
                help=f"leave {quote(name)} out of compact.fields",
            )
