"""An expectation can fail.

## What it finds

`expect: {}`, and `notices: []`, `ranges: {}` or `results: {}` in one: notices and maps are compared only as
far as they are written.

## Why it matters

It reads as a test and tests nothing.

## Example

    steps:
      - {user: hello, reply: hi, expect: {notices: []}}

## Instead

    steps:
      - {user: hello, reply: hi, expect: {stage: [user@1, assistant@1]}}

## Fix

Write what shall hold, or leave the expectation out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..check import Check
from ..diagnostics import Diagnostic
from ..ir.scenario import CallExpect
from ..problem import KeyPath
from ..scenarios import ScenarioContext

CHECK = Check("DCC905", "cannot-fail", "warning", kind="scenario")

#: What is compared only as far as it is written: its key, the value that says nothing, and what that is called.
_VACUOUS: Sequence[tuple[str, object, str]] = (
    ("notices", (), "an empty list of notices"),
    ("ranges", {}, "an empty map of ranges"),
    ("results", {}, "an empty map of results"),
)


def run(context: ScenarioContext) -> Iterator[Diagnostic]:
    found: list[tuple[KeyPath, str]] = []
    for index, step in enumerate(context.scenario.steps):
        expects: list[tuple[KeyPath, CallExpect | None]] = [(("steps", index, "expect"), step.expect)]
        expects += [(("steps", index, "calls", n, "expect"), call.expect) for n, call in enumerate(step.calls)]
        for path, expect in expects:
            if expect is None:
                continue
            if not expect.model_fields_set:
                found.append((path, "an empty expectation"))
            for key, empty, what in _VACUOUS:
                if key in expect.model_fields_set and getattr(expect, key) == empty:
                    found.append(((*path, key), what))
    for path, what in found:
        message = f"{what} always holds"
        yield from context.report(CHECK, path, message, help="write what shall hold, or leave it out", on="key")
