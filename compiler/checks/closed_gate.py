"""What is behind a closed gate is known.

## What it finds

Operations with a gate that `governance.gates` does not open.

## Why it matters

The model is not offered them; a call of one is refused with `op_disabled`. That is how `replace` and `redact`
come, so it is no more than a note.

## Example

    governance: {ops: cpat, gates: [replace]}

## Instead

    governance: {ops: cpat, gates: [replace, redact]}

## Fix

Open the gate if the model should have the operation. Otherwise nothing is to be done.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..check import Check, Context
from ..diagnostics import Diagnostic
from ..problem import quote

CHECK = Check("DCC624", "closed-gate", "info", kind="sections")


def run(context: Context) -> Iterator[Diagnostic]:
    section = context.ruleset.governance
    if section is None or context.ops is None or context.ops.problems:
        return
    closed = [op for op in context.ops.table.ops.values() if op.gate is not None and op.gate not in section.gates]
    if closed:
        named = ", ".join(quote(op.name) for op in closed)
        gates = ", ".join(dict.fromkeys(str(op.gate) for op in closed))
        yield from context.report(
            CHECK,
            ("governance", "ops"),
            f"{named}: no gate is open for {'it' if len(closed) == 1 else 'them'}",
            help=f"write `gates: [{gates}]` to offer {'it' if len(closed) == 1 else 'them'}",
        )
