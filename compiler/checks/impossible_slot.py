"""Expected slots can exist.

## What it finds

An expected slot that is born in a turn that has not begun, or of a refinement; an id that is none; a turn
that cannot be reached.

## Why it matters

The expectation can never hold, whatever the rules do.

## Example

    steps:
      - {user: hello, reply: hi, expect: {stage: [user@1, user@2]}}

## Instead

    steps:
      - {user: hello, reply: hi, expect: {stage: [user@1, assistant@1]}}

## Fix

Count the messages: each one that is neither a command nor a bare patch begins a turn, and commands and
patches begin none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..check import Check
from ..diagnostics import Diagnostic
from ..ir.scenario import CallExpect, StepExpect
from ..problem import KeyPath, quote
from ..scenarios import ScenarioContext

CHECK = Check("DCC903", "impossible-slot", "error", kind="scenario")


_ID = re.compile(r"(\w[\w-]*)@([0-9]{1,9})(?:\.[0-9]{1,9})?")
_LISTS = ("visible", "stage", "opened", "closed", "changed", "archived", "hidden")


def run(context: ScenarioContext) -> Iterator[Diagnostic]:
    for index, (step, turns) in enumerate(zip(context.scenario.steps, context.turns(), strict=True)):
        path: KeyPath = ("steps", index)
        expected: list[tuple[KeyPath, CallExpect]] = []
        if step.expect is not None:
            expected.append(((*path, "expect"), step.expect))
        for n, call in enumerate(step.calls):
            if call.expect is not None:
                expected.append(((*path, "calls", n, "expect"), call.expect))
        for where, expect in expected:
            for place, slot in _slots(expect, where):
                reason, help = _reason(slot, turns, context)
                if reason:
                    yield from context.report(CHECK, place, reason, help=help)
            turn = expect.turn if isinstance(expect, StepExpect) else None
            if isinstance(turn, int) and turn > turns:
                message = f"turn {turn} cannot be: {_begun(turns)} by the end of this step"
                yield from context.report(CHECK, (*where, "turn"), message, help="count the messages before it")


def _slots(expect: CallExpect, path: KeyPath) -> Iterator[tuple[KeyPath, str]]:
    """The slot ids of an expectation, each with its place."""
    for key in _LISTS:
        for index, item in enumerate(getattr(expect, key, ())):
            place = (*path, key, index)
            if isinstance(item, str):
                yield place, item
            elif isinstance(item, dict) and isinstance(item.get("slot"), str):
                yield (*place, "slot"), item["slot"]
    for slot in expect.ranges if isinstance(expect, StepExpect) else ():
        yield (*path, "ranges", slot), slot


def _reason(slot: str, turns: int, context: ScenarioContext) -> tuple[str, str]:
    """Why a slot cannot exist and how to mend it; two empty texts when it can."""
    match = _ID.fullmatch(slot)
    if match is None:
        return (
            f"{quote(slot)} is no slot id",
            "write element@turn, or element@turn.2 for the second of that turn",
        )
    element, turn = match[1], int(match[2])
    if turn > turns:
        return (
            f"{quote(slot)} cannot be: {_begun(turns)} by the end of this step",
            "count the messages before it",
        )
    row = context.program.elements.get(element) if context.program is not None else None
    if row is not None and row.of is not None:
        base = "toolResult" if row.of == "chain" else row.of
        return f"{quote(element)} is a refinement: its slots are called {base}@{turn}", f"write {base}@{turn}"
    return "", ""


def _begun(turns: int) -> str:
    return f"{turns or 'no'} turn{'' if turns == 1 else 's'} can have begun"
