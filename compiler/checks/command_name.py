"""No element is named like a command.

## What it finds

An element in life_cycle or context.roles whose name is a command: pin, cancelpin, cpat, dc-end, … (`canon` is an
element of dcc itself, whose rule and role may be written.)

## Why it matters

In a message `/pin …` is the command, so nobody can patch the element.

## Example

    life_cycle:
      pin: [born, null]

## Instead

    life_cycle:
      house_rules: [born, null]

## Fix

Choose another name.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...grammar.names import COMMANDS
from ..check import Check, Context
from ..diagnostics import Diagnostic
from ..lower import CANON_ROW
from ..problem import KeyPath, quote

CHECK = Check("DCC304", "command-name", "warning", kind="patches")


def run(context: Context) -> Iterator[Diagnostic]:
    ruleset = context.ruleset
    # A refinement so named is an error of its own (refinement-name).
    names: list[KeyPath] = [("life_cycle", name) for name, entry in ruleset.life_cycle.items() if entry.of is None]
    names += [("context", "roles", name) for name in ruleset.context.roles]
    for path in names:
        if path[-1] in COMMANDS - {CANON_ROW.name}:
            message = f"the element {quote(path[-1])} is named like the command /{path[-1]}"
            yield from context.report(CHECK, path, message, help="give it another name", on="key")
