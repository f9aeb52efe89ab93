"""An allow list names what it allows.

## What it finds

`allow: []` in a tool policy.

## Why it matters

A list without names is no list: it allows every tool, not none.

## Example

    tools: {allow: []}

## Instead

    tools: {deny: ["*"]}

## Fix

Write `deny: ["*"]` for no tool, or leave allow out for all.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..check import Check, Context
from ..diagnostics import Diagnostic
from ..policy.written import policy_blocks
from ..problem import show_path

CHECK = Check("DCC706", "empty-allow", "warning", kind="sections")


def run(context: Context) -> Iterator[Diagnostic]:
    for path, block in policy_blocks(context.ruleset):
        if block.allow is not None and not any(name.strip() for name in block.allow) and not block.alsoAllow:
            yield from context.report(
                CHECK,
                (*path, "allow"),
                f"{show_path(path)}.allow is empty, and an empty list allows every tool",
                help='write deny: ["*"] for no tool, or leave allow out',
            )
