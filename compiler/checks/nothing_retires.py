"""What a rule says of its end has an end to speak of.

## What it finds

`keep_last`, `retire` or `min_tokens` in a rule without an end: none is written, or it is null, permanent or
until_cancelled; or in one that ends by an event or a label, such as until_goal_end, which ends all of its slots at
once. `retire` and `min_tokens` also speak of `at_most` and `supersede`, `keep_last` of neither.

## Why it matters

`keep_last: 5` reads as if five stayed and the others left. It spares five from the end of the rule; where there is
none, all of them stay, in full, and where an event is the end, none does.

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
from ..facts.lifetimes import ends_by_event, is_unending
from ..ir.life_cycle import Entry
from ..problem import quote

CHECK = Check("DCC226", "nothing-retires", "warning", kind="time")


def run(context: Context) -> Iterator[Diagnostic]:
    for name, entry in context.ruleset.life_cycle.items():
        idle = _without_effect(entry)
        if idle is not None:
            option, means, help = idle
            has = "has no end" if is_unending(entry.end) else "ends at once with what it waits for"
            yield from context.report(
                CHECK,
                ("life_cycle", name, option),
                f"{quote(name)} {has}, so {option} {means}",
                help=help,
                witness=Witness(name, 9),
            )


def _without_effect(entry: Entry) -> tuple[str, str, str] | None:
    """The option that nothing comes of, what it does instead, and what to write; None: each has an effect."""
    if not is_unending(entry.end) and not ends_by_event(entry.end):
        return None
    end = "an end that counts, such as end: born+8 calls"
    if entry.keep_last:
        most = "" if entry.at_most is not None else f", or at_most: {entry.keep_last} for no more than these"
        return "keep_last", "has nothing to spare its slots from", f"write {end}{most}"
    if entry.at_most is not None or entry.supersede:
        return None
    if entry.retire != "drop":
        return "retire", "is never carried out", f"write {end}"
    return ("min_tokens", "makes no difference", f"write {end}") if entry.min_tokens else None
