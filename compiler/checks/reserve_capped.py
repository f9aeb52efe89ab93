"""The reserve is kept as it is written.

## What it finds

A `reserve` of more than half of the `window`.

## Why it matters

At most half of the window is kept free for the answer, so that prompts that fit are not refused: what is
written beyond that is not in force.

## Example

    governance: {window: 120000, reserve: 70000, max_context: 48000}

## Instead

    governance: {window: 120000, reserve: 60000, max_context: 48000}

## Fix

Write half of the window or less; `max_context` says how much a context may hold, if it is to be less.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..check import Check, Context
from ..diagnostics import Diagnostic
from ..reserve import kept_free

CHECK = Check("DCC606", "reserve-capped", "info", kind="sections")


def run(context: Context) -> Iterator[Diagnostic]:
    section = context.ruleset.governance
    # One that leaves nothing at all is an error of its own (no-room).
    if section is None or section.window is None or section.reserve is None or section.reserve >= section.window:
        return
    kept = kept_free(section.reserve, section.window)
    if kept < section.reserve:
        yield from context.report(
            CHECK,
            ("governance", "reserve"),
            f"of a window of {section.window:,} tokens at most {kept:,} are kept free, not {section.reserve:,}",
            help=f"write {kept}, or a max_context for a context that is to stay smaller",
            related=(("the window is here", ("governance", "window")),),
        )
