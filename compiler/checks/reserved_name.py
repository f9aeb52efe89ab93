"""Names that dcc makes are left to it.

## What it finds

An element named like one that dcc makes: `…_end` (endings), `n_summary` (summaries), `pin_…`
(pins).

## Why it matters

Its slots would be taken for those of dcc: an ending lives one turn, a summary is spared by compaction.

## Example

    life_cycle:
      week_end: [born, null]

## Instead

    life_cycle:
      weekend: [born, null]

## Fix

Choose another name. A rule for the pins that dcc makes (`pin_user_p01`) is meant, and is no finding.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..check import Check, Context
from ..diagnostics import Diagnostic
from ..problem import quote

CHECK = Check("DCC216", "reserved-name", "warning", kind="patches")

_RESERVED = {
    "endings": re.compile(r".+_end"),
    "summaries": re.compile(r"\d+_summary"),
    "pins": re.compile(r"pin_(?!user_p\d+$|model_p\d+$).*"),
}


def run(context: Context) -> Iterator[Diagnostic]:
    for name in context.ruleset.life_cycle:
        for what, pattern in _RESERVED.items():
            if pattern.fullmatch(name):
                yield from context.report(
                    CHECK,
                    ("life_cycle", name),
                    f"{quote(name)} is a name that dcc gives to {what}",
                    help="choose another name",
                    on="key",
                )
