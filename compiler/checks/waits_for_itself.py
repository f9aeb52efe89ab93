"""No element waits for its own end.

## What it finds

`until_end(x)` in the rule of x itself, `until_goal_end` in the rule of goal, and rules that wait for each other
in a circle.

## Why it matters

As long as the slot is on stage its element has not ended, so it stays for ever.

## Example

    life_cycle:
      goal: [born, until_goal_end]

## Instead

    life_cycle:
      goal: [born, null]

## Fix

Write null, or the element that really governs it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..check import Check, Context
from ..diagnostics import Diagnostic, Witness
from ..problem import quote

CHECK = Check("DCC217", "waits-for-itself", "warning", kind="time")

#: Elements of a circle that a message names behind the first.
NAMED = 4


def run(context: Context) -> Iterator[Diagnostic]:
    for circle in _circles({name: entry.end.element for name, entry in context.ruleset.life_cycle.items()}):
        for index, name in enumerate(circle):
            first, *rest = [*circle[index + 1 :], *circle[: index + 1]]
            through = "".join(f", which waits for {quote(other)}" for other in rest[:NAMED])
            through += ", and so on" if len(rest) > NAMED else ""
            yield from context.report(
                CHECK,
                ("life_cycle", name, "end"),
                f"{quote(name)} waits for the end of {quote(first)}{through}: it never comes",
                help="write null for no end, or name another element",
                witness=Witness(name, 9),
            )


def _circles(governors: Mapping[str, str | None]) -> Iterator[list[str]]:
    """Elements that wait for each other in a circle, each circle once, in the order of waiting."""
    seen: set[str] = set()
    for start in governors:
        way: dict[str, None] = {}
        name: str | None = start
        while name is not None and name not in seen:
            seen.add(name)
            way[name] = None
            name = governors.get(name)
        if name in way:
            names = list(way)
            yield names[names.index(name) :]
