"""What a rule says of its end has an end to speak of.

## What it finds

`keep_last`, `retire` or `min_tokens` in a rule without an end: none is written, or it is null, permanent or
until_cancelled. `retire` and `min_tokens` also speak of `at_most` and `supersede`, `keep_last` of neither.

## Why it matters

`keep_last: 5` reads as if five stayed and the others left. It spares five from the end of the rule; where there is
none, all of them stay, in full.

## Example

    life_cycle:
      toolCall: {keep_last: 5}

## Instead

    life_cycle:
      toolCall: {at_most: 5}

## Fix

Write an end, such as born+8 calls, or at_most for no more than so many. An entry without an end takes the place of a
pair of a ruleset that it extends, its end too.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..check import Check, Context
from ..diagnostics import Diagnostic, Witness
from ..facts.lifetimes import is_unending
from ..ir.life_cycle import Entry
from ..problem import quote

CHECK = Check("DCC226", "nothing-retires", "warning", kind="time")


def run(context: Context) -> Iterator[Diagnostic]:
    for name, entry in context.ruleset.life_cycle.items():
        idle = _without_effect(entry)
        if idle is not None:
            option, means, help = idle
            yield from context.report(
                CHECK,
                ("life_cycle", name, option),
                f"{quote(name)} has no end, so {option} {means}",
                help=help,
                witness=Witness(name, 9),
            )


def _without_effect(entry: Entry) -> tuple[str, str, str] | None:
    """The option that nothing comes of, what it does instead, and what to write; None: each has an effect."""
    if not is_unending(entry.end):
        return None
    end = "an end, such as end: born+8 calls"
    if entry.keep_last:
        most = "" if entry.at_most is not None else f", or at_most: {entry.keep_last} for no more than these"
        return "keep_last", "has nothing to spare its slots from", f"write {end}{most}"
    if entry.at_most is not None or entry.supersede:
        return None
    if entry.retire != "drop":
        return "retire", "is never carried out", f"write {end}"
    return ("min_tokens", "makes no difference", f"write {end}") if entry.min_tokens else None
