"""Elements have names that can be typed.

## What it finds

A name in life_cycle or context.roles with blanks, slashes or other marks in it.

## Why it matters

An element is patched by `/name …` and shown as `name@turn`; its name is letters, digits, `_` and `-`.

## Example

    life_cycle:
      my goal: [born, null]

## Instead

    life_cycle:
      my_goal: [born, null]

## Fix

Use `_` or `-` between words.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...grammar.names import ELEMENT_NAME
from ..check import Check, Context
from ..diagnostics import Diagnostic
from ..problem import quote

CHECK = Check("DCC203", "element-name", "error")


def run(context: Context) -> Iterator[Diagnostic]:
    ruleset = context.ruleset
    names: list[tuple[str, ...]] = [("life_cycle", name) for name in ruleset.life_cycle]
    names += [("context", "roles", name) for name in ruleset.context.roles]
    for path in names:
        if not ELEMENT_NAME.fullmatch(path[-1]):
            yield from context.report(
                CHECK,
                path,
                f"{quote(path[-1])} is no element name",
                help="use letters, digits, `_` and `-`, starting with a letter, a digit or `_`",
                on="key",
            )
