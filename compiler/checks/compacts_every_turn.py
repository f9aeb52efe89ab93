"""Compaction has turns of rest.

## What it finds

`keep_recent_turns` that is not below `interval_turns`.

## Why it matters

A summary is placed before the turns that are kept, and the interval counts from its place. When as many
turns are kept as the interval has, the next summary is due at once: a model call and a broken prefix in
every turn.

## Example

    compact:
      fields: [user]
      compressors: {summary: {prompt: "{content}", periodic: {interval_turns: 5, keep_recent_turns: 10}}}

## Instead

    compact:
      fields: [user]
      compressors: {summary: {prompt: "{content}", periodic: {interval_turns: 20, keep_recent_turns: 10}}}

## Fix

Make interval_turns greater than keep_recent_turns; the difference is the number of turns between two
summaries.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..check import Check, Context
from ..diagnostics import Diagnostic

CHECK = Check("DCC406", "compacts-every-turn", "warning", kind="sections")


def run(context: Context) -> Iterator[Diagnostic]:
    compact = context.ruleset.compact
    summary = compact.compressors.summary if compact is not None else None
    if summary is None or summary.periodic.interval_turns is None:
        return
    if summary.periodic.interval_turns > summary.periodic.keep_recent_turns:
        return
    every, kept = summary.periodic.interval_turns, summary.periodic.keep_recent_turns
    path = ("compact", "compressors", "summary", "periodic")
    yield from context.report(
        CHECK,
        (*path, "interval_turns"),
        f"an interval of {every} turns that keeps {kept} recent ones is over as soon as it begins: every turn compacts",
        help=f"write interval_turns: {kept + 10}, or keep fewer turns",
        related=(("the turns kept are here", (*path, "keep_recent_turns")),),
    )
