"""A step is compared with one that came before it.

## What it finds

A `same_hash_as` that names no earlier step: neither the `name` of one, nor its number (the first is 1). Two
steps of one name.

## Why it matters

There is no state to compare with, so the expectation can never hold; of two steps of one name only the later
would be meant.

## Example

    steps:
      - {user: hello, reply: hi, name: greeted}
      - {do: [{close: user@1}]}
      - {do: [{undo: 1}], expect: {same_hash_as: greted}}

## Instead

    steps:
      - {user: hello, reply: hi, name: greeted}
      - {do: [{close: user@1}]}
      - {do: [{undo: 1}], expect: {same_hash_as: greeted}}

## Fix

Give the earlier step a `name`, and write that.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..check import Check
from ..diagnostics import Diagnostic
from ..problem import KeyPath, nearest, quote, respell, sure
from ..scenarios import ScenarioContext

CHECK = Check("DCC907", "unknown-step", "error", kind="scenario")


def run(context: ScenarioContext) -> Iterator[Diagnostic]:
    names: list[str] = []
    for index, step in enumerate(context.scenario.steps):
        wanted = step.expect.same_hash_as if step.expect is not None else None
        path: KeyPath = ("steps", index, "expect", "same_hash_as")
        if isinstance(wanted, str) and wanted not in names:
            near, meant = nearest(wanted, names), sure(wanted, names)
            yield from context.report(
                CHECK,
                path,
                f"no step before this one has the name {quote(wanted)}",
                help=f"did you mean {quote(near)}?" if near else "give the step a `name`, and write that",
                mends=(respell(path, meant),) if meant else (),
            )
        if isinstance(wanted, int) and not 1 <= wanted <= index:
            message = f"there is no step {wanted} before this one, which is step {index + 1}"
            yield from context.report(CHECK, path, message, help="count from 1")
        if step.name is not None and step.name in names:
            message = f"two steps have the name {quote(step.name)}"
            yield from context.report(CHECK, ("steps", index, "name"), message, help="rename one")
        if step.name is not None:
            names.append(step.name)
