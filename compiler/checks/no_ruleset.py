"""The ruleset of a scenario can be read.

## What it finds

A `ruleset` that is neither a shipped name nor a readable file beside the scenario.

## Why it matters

Without its rules the scenario cannot be played.

## Example

    ruleset: standrad
    steps:
      - {user: hello, reply: hi}

## Instead

    ruleset: standard
    steps:
      - {user: hello, reply: hi}

## Fix

Write a shipped name, a path relative to the scenario, or the rules themselves.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..check import Check
from ..diagnostics import Diagnostic
from ..documents import shipped_names
from ..problem import respell, sure
from ..scenarios import ScenarioContext

CHECK = Check("DCC906", "no-ruleset", "error", kind="scenario")


def run(context: ScenarioContext) -> Iterator[Diagnostic]:
    if context.unread is not None:
        message, help = context.unread.message, context.unread.help
        help = help or "write a shipped name or a path"
        meant = sure(str(context.scenario.ruleset), shipped_names())
        mends = (respell(("ruleset",), meant),) if meant else ()
        yield from context.report(CHECK, ("ruleset",), message, help=help, mends=mends)
