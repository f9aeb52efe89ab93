"""A rule holds for slots that are born late, too.

## What it finds

An end at a fixed turn, in the rule of an element that is born again and again.

## Why it matters

The turn comes once in a session. What is born after it has ended before it began, and is never on stage; a
session says so by a notice each time.

## Example

    life_cycle:
      hint: [born, 5]

## Instead

    life_cycle:
      hint: [born, born+5]

## Fix

Count the end from the birth. Only what is born once, such as the system slot, has an end at a turn.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..check import Check, Context
from ..diagnostics import Diagnostic, Witness
from ..lower import patchable_elements
from ..problem import quote

CHECK = Check("DCC219", "late-births", "warning", kind="time")


def run(context: Context) -> Iterator[Diagnostic]:
    patchable = patchable_elements(context.ruleset)
    for name, entry in context.ruleset.life_cycle.items():
        end, start = entry.end, entry.start
        # `user` is an error of its own (user-off-stage), an end before every start is, too (end-before-start).
        if end.kind != "turn" or name in ("system", "user"):
            continue
        # What is reduced, too small to go, or among the newest that stay is on stage behind its end.
        if entry.retire != "drop" or entry.min_tokens or entry.keep_last:
            continue
        if end.n < (start.n if start.kind == "turn" else start.n + 1):
            continue
        but = ", unless a patch brings turns of its own" if name in patchable else ""
        yield from context.report(
            CHECK,
            ("life_cycle", name, "end"),
            f"{quote(name)} ends at turn {end.n}: what is born after that turn is never on stage{but}",
            help=f"count from the birth, such as born+{end.n}",
            witness=Witness(name, end.n + 1),
        )
