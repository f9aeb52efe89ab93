"""What an end waits for can happen.

## What it finds

`until_end(user)`, since every request holds the message that it answers; `until_end(recall)` where recall
is off.

## Why it matters

The event that should end the slot is never fired: it stays for ever, as if its end were null.

## Example

    life_cycle:
      hint: [born, until_end(user)]

## Instead

    life_cycle:
      hint: [born, born]

## Fix

Count the end in turns, or name an element that comes and goes, such as goal.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...grammar.ast import BORN
from ..check import Check, Context
from ..diagnostics import Diagnostic, Witness
from ..facts.lifetimes import is_unending
from ..problem import quote
from ..program import ElementRow

CHECK = Check("DCC221", "end-never-comes", "warning", kind="time")


def run(context: Context) -> Iterator[Diagnostic]:
    recall = context.ruleset.recall
    reasons = {}
    if _always_there(context.rows.get("user")):
        reasons["user"] = "every request holds the message that it answers"
    if recall is None or recall.type == "none":
        reasons["recall"] = "recall is off, so no slot of it is born"
    for name, entry in context.ruleset.life_cycle.items():
        governor = entry.end.element
        if governor in reasons and governor != name:
            yield from context.report(
                CHECK,
                ("life_cycle", name, "end"),
                f"{quote(name)} waits for the end of {quote(governor)}, which never comes: {reasons[governor]}",
                help="count the end in turns, or write null for no end",
                witness=Witness(name, 9),
            )


def _always_there(user: ElementRow | None) -> bool:
    """Whether a message is on stage at every moment: the last one stays until the next one is born."""
    if user is None or user.rule.start != BORN or user.rule.end.unit != "turns":
        return False
    return is_unending(user.rule.end) or (user.rule.end.kind == "born" and user.rule.end.n > 0)
