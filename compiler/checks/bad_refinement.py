"""A refinement refines a tool result, a tool call or a chain.

## What it finds

`of` with another name, `of` a refinement (refinements are one level deep), and `match` without `of`.

## Why it matters

Only these slots have the fields that `match` looks at, and two levels would have no clear order.

## Example

    life_cycle:
      notes: {of: user, match: {tool: read}, end: born+2}

## Instead

    life_cycle:
      notes: {of: toolResult, match: {tool: read}, end: born+2}

## Fix

Name toolResult, toolCall or chain under `of`.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...grammar.names import REFINABLE
from ..check import Check, Context
from ..diagnostics import Diagnostic
from ..problem import one_of, quote, respell, sure

CHECK = Check("DCC208", "bad-refinement", "error")


def run(context: Context) -> Iterator[Diagnostic]:
    entries = context.ruleset.life_cycle
    for name, entry in entries.items():
        path = ("life_cycle", name)
        if entry.of is None and entry.match:
            message = f"{quote(name)} has `match` and no `of`"
            help = f"say what it refines: `of: {one_of(REFINABLE)}`"
            yield from context.report(CHECK, (*path, "match"), message, help=help, on="key")
        elif entry.of is not None and entry.of not in REFINABLE:
            base, meant = entries.get(entry.of), sure(entry.of, REFINABLE)
            deep = " is itself a refinement, and refinements are one level deep;" if base and base.of else ""
            yield from context.report(
                CHECK,
                (*path, "of"),
                f"{quote(name)} cannot refine {quote(entry.of)}:{deep} expected {one_of(REFINABLE)}",
                help="refine its base, and write all match fields in one entry" if deep else "name one of the three",
                mends=(respell((*path, "of"), meant),) if meant else (),
            )
