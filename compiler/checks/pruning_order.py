"""Results are trimmed before they are cleared.

## What it finds

`soft_trim_ratio` above `hard_clear_ratio`; a trim that keeps as many characters as it allows, or more.

## Why it matters

Both passes start when the context passes their share of the window, and clearing looks only at what the
trim has looked at. A trim that keeps head and tail of more than max_chars makes nothing shorter.

## Example

    pruning: {mode: cache-ttl, soft_trim_ratio: 0.6, hard_clear_ratio: 0.5}

## Instead

    pruning: {mode: cache-ttl, soft_trim_ratio: 0.3, hard_clear_ratio: 0.5}

## Fix

Keep soft_trim_ratio <= hard_clear_ratio, and head_chars + tail_chars below max_chars.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..check import Check, Context
from ..diagnostics import Diagnostic

CHECK = Check("DCC612", "pruning-order", "warning", kind="sections")


def run(context: Context) -> Iterator[Diagnostic]:
    pruning = context.ruleset.pruning
    if pruning is None or pruning.mode == "off":
        return
    soft, hard = pruning.soft_trim_ratio, pruning.hard_clear_ratio
    if soft > hard and pruning.hard_clear.enabled:
        yield from context.report(
            CHECK,
            ("pruning", "soft_trim_ratio"),
            f"trimming starts at {soft:g} of the window, after clearing at {hard:g}",
            help=f"write soft_trim_ratio: {hard:g} or less",
            related=(("clearing is here", ("pruning", "hard_clear_ratio")),),
        )
    trim = pruning.soft_trim
    if trim.head_chars + trim.tail_chars >= trim.max_chars:
        yield from context.report(
            CHECK,
            ("pruning", "soft_trim", "max_chars"),
            f"a trim over {trim.max_chars:,} characters that keeps {trim.head_chars:,} + {trim.tail_chars:,} of "
            f"them makes little or nothing shorter",
            help="keep head_chars + tail_chars below max_chars",
        )
