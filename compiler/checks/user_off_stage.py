"""The message that is being answered is on stage.

## What it finds

A rule for `user` that can take the running message off stage: a late start, an end at a fixed turn, an end
counted in calls.

## Why it matters

A model that does not see the question cannot answer it (kernel.md, P2). In a tool loop, `born+1 calls`
drops the message at the second call.

## Example

    life_cycle:
      user: [born, born+1 calls]

## Instead

    life_cycle:
      user: [born, born+1]

## Fix

Start at born, and count the end in turns.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...grammar.bounds import show_bound
from ..check import Check, Context
from ..diagnostics import Diagnostic, Witness
from ..problem import At, Mend, respell

CHECK = Check("DCC214", "user-off-stage", "error", kind="time")


def run(context: Context) -> Iterator[Diagnostic]:
    entry = context.ruleset.life_cycle.get("user")
    if entry is None:
        return
    start, end = entry.start, entry.end
    if start.n > (0 if start.kind == "born" else 1):
        yield from context.report(
            CHECK,
            ("life_cycle", "user", "start"),
            f"the start {show_bound(start)} of `user` is after the turn in which it is answered",
            help="write born",
            mends=(respell(("life_cycle", "user", "start"), "born"),),
            witness=Witness("user", 1),
        )
    if end.kind == "turn":
        reason = f"no message after turn {end.n} would be seen"
    elif end.unit == "calls":
        reason = "a tool loop would lose the message that it answers"
    else:
        return
    yield from context.report(
        CHECK,
        ("life_cycle", "user", "end"),
        f"the end {show_bound(end)} of `user` takes the running message off stage: {reason}",
        help="count the end in turns, such as born+10, or write null",
        mends=(Mend("write null", False, ((At(("life_cycle", "user", "end"), quoted=False), "null"),)),),
        witness=Witness("user", end.n + 1 if end.kind == "turn" else 1),
    )
