"""The ceiling is not below the floor.

## What it finds

`at_most` smaller than `keep_last`.

## Why it matters

keep_last says how many slots stay, at_most how many may: both cannot hold.

## Example

    life_cycle:
      hint: {end: born+5, keep_last: 4, at_most: 2}

## Instead

    life_cycle:
      hint: {end: born+5, keep_last: 2, at_most: 4}

## Fix

Raise at_most or lower keep_last.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..check import Check, Context
from ..diagnostics import Diagnostic
from ..problem import quote, respell

CHECK = Check("DCC213", "ceiling-below-floor", "error")


def run(context: Context) -> Iterator[Diagnostic]:
    for name, entry in context.ruleset.life_cycle.items():
        if entry.at_most is not None and entry.at_most < entry.keep_last:
            yield from context.report(
                CHECK,
                ("life_cycle", name, "at_most"),
                f"{quote(name)} keeps the last {entry.keep_last} slots and allows at most {entry.at_most}",
                help=f"raise at_most to {entry.keep_last} or more, or lower keep_last",
                mends=(respell(("life_cycle", name, "at_most"), str(entry.keep_last)),),
                related=(("the floor is here", ("life_cycle", name, "keep_last")),),
            )
