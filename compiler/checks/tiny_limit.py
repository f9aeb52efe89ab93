"""A limit in tokens can hold a request.

## What it finds

A limit of governance that is a whole number below 1,000: the window, max_context, or a band.

## Why it matters

A whole number is a number of tokens, and a system prompt with the schemas of a few tools already needs more than a
thousand. `max_context: 85` is 85 tokens, so all that can be reduced is, before every call; mostly 85 % was meant.

## Example

    governance:
      max_context: 85

## Instead

    governance:
      max_context: 85%

## Fix

Write a share (`85%`, `0.85`), or all the tokens that you mean (`120000`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ..check import Check, Context
from ..diagnostics import Diagnostic
from ..ir.governance import GovernanceSection
from ..problem import KeyPath, respell, show_path

CHECK = Check("DCC607", "tiny-limit", "warning", kind="sections")

#: Fewer tokens than the system prompt and the tool schemas of an agent take.
LEAST: Final = 1_000


def run(context: Context) -> Iterator[Diagnostic]:
    section = context.ruleset.governance
    if section is None:
        return
    for path, limit in _limits(section):
        if not isinstance(limit, int) or limit >= LEAST:
            continue
        may_be_share = limit <= 100 and path[-1] != "window"
        yield from context.report(
            CHECK,
            path,
            f"{show_path(path)} is {limit} tokens, which hold no request: a whole number counts tokens",
            help=f"write {limit}% for a share, or all the tokens, such as {limit}000 for {limit} thousand"
            if may_be_share
            else f"write all the tokens, such as {limit}000 for {limit} thousand",
            mends=(respell(path, f"{limit}%"),) if may_be_share else (),
        )


def _limits(section: GovernanceSection) -> Iterator[tuple[KeyPath, int | float | None]]:
    bands = section.bands
    yield ("governance", "window"), section.window
    yield ("governance", "max_context"), section.max_context
    for name, limit in (("soft", bands.soft), ("must_act", bands.must_act), ("critical", bands.critical)):
        yield ("governance", "bands", name), limit
