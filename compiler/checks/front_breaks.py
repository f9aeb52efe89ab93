"""The front of the context stands still.

## What it finds

Ends in turns for both user and assistant, so that nothing of the talk stays at the front.

## Why it matters

From some turn on every turn takes the oldest message away. All that follows it moves, so no request begins
like the one before and a prompt cache never helps. (Old tool calls and thinking, where they stay, stand before it.)

## Example

    life_cycle:
      user: [born, born+10]
      assistant: [born, born+10]

## Instead

    life_cycle:
      user: [born, null]
      assistant: [born, null]
    compact:
      fields: [user, assistant]
      compressors: {summary: {prompt: "{content}", periodic: {interval_turns: 20, keep_recent_turns: 10}}}

## Fix

Let the talk stay and compact it every so often: one break in many turns instead of one in each.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...grammar.ast import BORN
from ..check import Check, Context
from ..diagnostics import Diagnostic, Witness
from ..facts.lifetimes import OF_EVERY_TURN, turns_after_birth

CHECK = Check("DCC823", "front-breaks", "warning", kind="growth")


def run(context: Context) -> Iterator[Diagnostic]:
    compact = context.ruleset.compact
    if compact is not None and set(OF_EVERY_TURN) & set(compact.fields):
        return  # what has been folded leaves nothing behind that could move
    rows = [context.rows[name] for name in OF_EVERY_TURN if name in context.rows]
    if any(row.retire != "drop" or row.rule.start != BORN or row.at_most or row.supersede for row in rows):
        return
    stays = [turns for row in rows if (turns := turns_after_birth(row)) is not None]
    # An answer that is gone by the next turn leaves no gap at the front: the question before it went, too.
    if len(stays) < len(OF_EVERY_TURN) or min(stays) < 1:
        return
    row = max(rows, key=lambda row: row.rule.end.n)
    first = max(stays) + 2
    yield from context.report(
        CHECK,
        ("life_cycle", row.name, "end"),
        f"from turn {first} on every turn breaks the prompt cache at the front: {row.name}@1 leaves, then "
        f"{row.name}@2, and so on",
        help="let user and assistant stay (null) and compact them, or accept that no request is cached",
        witness=Witness(row.name, first),
    )
