"""A gate opens an operation.

## What it finds

A name under `governance.gates` that is the gate of none of the ruleset's operations.

## Why it matters

It opens nothing; an operation that it was meant to open stays shut.

## Example

    governance: {ops: cpat, gates: [redcat]}

## Instead

    governance: {ops: cpat, gates: [redact]}

## Fix

Write the gate as the operation has it: `op redact gate redact { … }`.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..check import Check, Context
from ..diagnostics import Diagnostic
from ..problem import nearest, one_of, quote, respell, sure

CHECK = Check("DCC623", "unknown-gate", "warning", kind="sections")


def run(context: Context) -> Iterator[Diagnostic]:
    section = context.ruleset.governance
    if section is None or (context.ops is not None and context.ops.problems):
        return
    known = gates_of(context)
    for index, gate in enumerate(section.gates):
        if gate in known:
            continue
        path = ("governance", "gates", index)
        near, meant = nearest(gate, known), sure(gate, known - set(section.gates))
        gates = f"the gates are {one_of(known)}" if known else "no operation of this ruleset has a gate"
        yield from context.report(
            CHECK,
            path,
            f"{quote(gate)} is the gate of no operation",
            help=f"did you mean {quote(near)}?" if near else gates,
            mends=(respell(path, meant),) if meant else (),
        )


def gates_of(context: Context) -> set[str]:
    """The gates of the ruleset's operations."""
    ops = context.ops.table.ops.values() if context.ops is not None else ()
    return {op.gate for op in ops if op.gate is not None}
