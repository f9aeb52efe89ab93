"""A refinement has a name of its own.

## What it finds

A refinement that is named like a protocol element, a command or an element that people may patch.

## Why it matters

In a message, `/goal …` must mean one thing; in a rule, `user` must mean the user.

## Example

    life_cycle:
      goal: {of: toolResult, match: {tool: plan}, end: born+2}

## Instead

    life_cycle:
      plan_result: {of: toolResult, match: {tool: plan}, end: born+2}

## Fix

Choose another name, such as that of the tool.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...grammar.names import COMMANDS, PROTOCOL_ELEMENTS, REFINABLE
from ..check import Check, Context
from ..diagnostics import Diagnostic
from ..lower import patchable_elements
from ..problem import quote

CHECK = Check("DCC209", "refinement-name", "error", kind="patches")


def run(context: Context) -> Iterator[Diagnostic]:
    patchable = patchable_elements(context.ruleset)
    for name, entry in context.ruleset.life_cycle.items():
        if entry.of is None:
            continue
        if name in PROTOCOL_ELEMENTS | REFINABLE | {"system"}:
            what = "a protocol element"
        elif name in COMMANDS:
            what = "a command"
        elif name in patchable:
            what = "an element that people may patch"
        else:
            continue
        yield from context.report(
            CHECK,
            ("life_cycle", name),
            f"the refinement {quote(name)} is named like {what}",
            help="give it a name of its own",
            on="key",
        )
