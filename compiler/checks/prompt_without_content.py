"""The prompt holds the transcript.

## What it finds

A summary prompt without `{content}`.

## Why it matters

The model is then asked to summarise something that it is not shown.

## Example

    compact:
      fields: [user]
      compressors: {summary: {prompt: "Summarise the talk."}}

## Instead

    compact:
      fields: [user]
      compressors: {summary: {prompt: "Summarise this talk: {content}"}}

## Fix

Put `{content}` where the transcript belongs.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..check import Check, Context
from ..diagnostics import Diagnostic
from ..prompt import has_hole

CHECK = Check("DCC404", "prompt-without-content", "warning", kind="sections")


def run(context: Context) -> Iterator[Diagnostic]:
    compact = context.ruleset.compact
    summary = compact.compressors.summary if compact is not None else None
    if summary is None or not (summary.prompt or "").strip() or has_hole(summary.prompt or ""):
        return
    yield from context.report(
        CHECK,
        ("compact", "compressors", "summary", "prompt"),
        "the prompt has no `{content}`, so the model sees no transcript",
        help="write `{content}` where the transcript belongs",
    )
