"""A summary is asked for by a prompt.

## What it finds

A `compact` section without `compressors.summary.prompt`, or with a blank one.

## Why it matters

Compaction asks a model for a summary; without a prompt it cannot.

## Example

    compact:
      fields: [user, assistant]

## Instead

    compact:
      fields: [user, assistant]
      compressors:
        summary: {prompt: "Keep facts and open points: {content}"}

## Fix

Write a prompt that holds `{content}`, where the transcript goes.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..check import Check, Context
from ..diagnostics import Diagnostic

CHECK = Check("DCC401", "compact-prompt", "error", kind="sections")


def run(context: Context) -> Iterator[Diagnostic]:
    compact = context.ruleset.compact
    if compact is None:
        return
    summary = compact.compressors.summary
    if summary is None or summary.prompt is None or not summary.prompt.strip():
        yield from context.report(
            CHECK,
            ("compact", "compressors", "summary", "prompt"),
            "compact has no prompt for its summary",
            help='write compressors: {summary: {prompt: "Keep facts and open points: {content}"}}',
        )
