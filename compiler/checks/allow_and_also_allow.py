"""A scope widens its profile or names its tools, not both.

## What it finds

`allow` and `alsoAllow`, both with names, in one block of a tool policy.

## Why it matters

alsoAllow adds to the profile; beside an allow list its place is in that list.

## Example

    tools: {allow: [read], alsoAllow: [web_search]}

## Instead

    tools: {allow: [read, web_search]}

## Fix

Merge alsoAllow into allow, or leave allow out and name a profile.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..check import Check, Context
from ..diagnostics import Diagnostic
from ..policy.written import policy_blocks
from ..problem import show_path

CHECK = Check("DCC701", "allow-and-also-allow", "error", kind="sections")


def run(context: Context) -> Iterator[Diagnostic]:
    for path, block in policy_blocks(context.ruleset):
        if block.allow and block.alsoAllow:
            yield from context.report(
                CHECK,
                (*path, "alsoAllow"),
                f"{show_path(path)} has both allow and alsoAllow",
                help="merge alsoAllow into allow, or remove allow and use a profile",
                on="key",
                related=(("allow is here", (*path, "allow")),),
            )
