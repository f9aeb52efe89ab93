"""The reserve leaves room in the window.

## What it finds

A `reserve` that is as large as the `window`, or larger.

## Why it matters

The reserve is kept free for the answer. What is left for the context is nothing, so every request is too
long.

## Example

    governance: {window: 16000, reserve: 20000}

## Instead

    governance: {window: 200000, reserve: 20000}
    compact:
      fields: [user, assistant]
      compressors: {summary: {prompt: "{content}"}}

## Fix

Lower the reserve, or write the true window.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..check import Check, Context
from ..diagnostics import Diagnostic

CHECK = Check("DCC602", "no-room", "error", kind="sections")


def run(context: Context) -> Iterator[Diagnostic]:
    section = context.ruleset.governance
    if section is None or section.window is None or section.reserve is None or section.reserve < section.window:
        return
    yield from context.report(
        CHECK,
        ("governance", "reserve"),
        f"a reserve of {section.reserve:,} tokens leaves nothing of a window of {section.window:,}",
        help=f"write less than {section.window}",
        related=(("the window is here", ("governance", "window")),),
    )
