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
from ..ir.tools import ToolPolicy, ToolsSection
from ..problem import KeyPath, show_path

CHECK = Check("DCC701", "allow-and-also-allow", "error", kind="sections")


def run(context: Context) -> Iterator[Diagnostic]:
    ruleset = context.ruleset
    scopes: list[tuple[KeyPath, ToolsSection | None]] = [(("tools",), ruleset.tools)]
    scopes += [(("agents", name, "tools"), scope.tools) for name, scope in ruleset.agents.items()]
    scopes += [(("groups", name, "tools"), scope.tools) for name, scope in ruleset.groups.items()]
    blocks: list[tuple[KeyPath, ToolPolicy]] = []
    for path, section in scopes:
        if section is not None:
            blocks.append((path, section))
            blocks += [((*path, "byProvider", name), block) for name, block in section.byProvider.items()]
    for path, block in blocks:
        if block.allow and block.alsoAllow:
            yield from context.report(
                CHECK,
                (*path, "alsoAllow"),
                f"{show_path(path)} has both allow and alsoAllow",
                help="merge alsoAllow into allow, or remove allow and use a profile",
                on="key",
                related=(("allow is here", (*path, "allow")),),
            )
