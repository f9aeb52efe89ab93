"""A number of summaries is read by the retention.

## What it finds

`k` beside the retention latest_only or keep_all.

## Why it matters

Only last_k and equidistant count; with the others k is read by nothing.

## Example

    compact:
      fields: [user]
      compressors: {summary: {prompt: "{content}", retention: {type: keep_all, k: 3}}}

## Instead

    compact:
      fields: [user]
      compressors: {summary: {prompt: "{content}", retention: {type: last_k, k: 3}}}

## Fix

Write `type: last_k`, or leave k out.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..check import Check, Context
from ..diagnostics import Diagnostic
from ..problem import quote

CHECK = Check("DCC405", "retention-number", "warning", kind="sections")


def run(context: Context) -> Iterator[Diagnostic]:
    compact = context.ruleset.compact
    summary = compact.compressors.summary if compact is not None else None
    if summary is None:
        return
    retention = summary.retention
    if "k" in retention.model_fields_set and retention.type in ("latest_only", "keep_all"):
        yield from context.report(
            CHECK,
            ("compact", "compressors", "summary", "retention", "k"),
            f"the retention {quote(retention.type)} keeps no number of summaries, so k is never read",
            help="write type: last_k or type: equidistant, or leave k out",
            on="key",
        )
