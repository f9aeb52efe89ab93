"""What comes with every call also leaves.

## What it finds

A rule without end for tool calls, tool results, thinking or recall, or a refinement of them, that nothing
compacts. With a limit under `governance` a critical pass takes old calls and results away, and nothing is said of
them.

## Why it matters

Each call adds such slots and none ever leaves: a long tool loop fills the window.

## Example

    life_cycle:
      toolResult: [born, null]

## Instead

    life_cycle:
      toolResult: [born, born+5]

## Fix

Give it an end, a ceiling (at_most), or a compact section whose fields hold assistant.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..check import Check, Context
from ..diagnostics import Diagnostic, Witness
from ..facts.growth import limit_of
from ..facts.lifetimes import grows
from ..problem import quote

CHECK = Check("DCC821", "grows-without-bound", "warning", kind="growth")


_OFTEN = ("toolCall", "toolResult", "think", "recall")


def run(context: Context) -> Iterator[Diagnostic]:
    compact = context.ruleset.compact
    folded = set(compact.fields) if compact is not None else set()
    calls = [row for row in context.rows.values() if "toolCall" in (row.name, row.of) or row.of == "chain"]
    chains_grow = all(map(grows, calls))
    governance = context.ruleset.governance
    # Before a request goes over the limit, a critical pass takes old chains off stage (kernel.md section 4).
    passed = governance is not None and limit_of(governance) is not None
    for name, entry in context.ruleset.life_cycle.items():
        base = entry.of if entry.of is not None else name
        row = context.rows.get(name)
        if row is None or (base not in _OFTEN and base != "chain") or not grows(row):
            continue
        # A result leaves with its call, and a call with its chain, whatever its own rule says.
        if (base not in ("think", "recall") and not chains_grow) or name in context.untaken:
            continue
        if passed and base not in ("think", "recall"):
            continue
        # Calls and their results follow their assistant, whatever the fields say of them (language.md section 5).
        if base in folded or "assistant" in folded:
            continue
        written = "end" in entry.model_fields_set
        yield from context.report(
            CHECK,
            ("life_cycle", name, "end") if written else ("life_cycle", name),
            f"{quote(name)} grows without bound: no rule ends it and nothing compacts it",
            help="end it, such as born+5, write at_most, or add compact with assistant in its fields",
            on="value" if written else "key",
            witness=Witness(name, 9),
        )
