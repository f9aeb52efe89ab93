"""Every name in a tool policy is one of a tool, a group or a plugin.

## What it finds

A name in allow, alsoAllow or deny that no tool that is known has, and that is no plugin; a pattern in alsoAllow or
deny that matches none. Names that are a letter or two off, unknown groups and lists without any known name have
checks of their own.

## Why it matters

It matches nothing: what was to be denied is allowed, what was to be allowed is missing. Where a server of tools
(`tools.mcp`) is declared or a plugin is installed (entry points `dcc.tools`), the name may be one of its tools, and
nothing is said: `dcc tools` asks them.

## Example

    tools: {deny: [lobster_run]}

## Instead

    tools: {deny: [lobster_run], plugins: {lobster: [lobster_run]}}

## Fix

Take the name out, or say under `tools.plugins` which plugin brings the tool.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..check import Check, Context
from ..diagnostics import Diagnostic
from ..facts.tools import tool_sections
from ..ir.tools import ToolPolicy
from ..policy.entries import kind_of
from ..policy.known import brings_unknown
from ..policy.names import ALL, GROUP_PREFIX, normal_name
from ..policy.written import named_tools, policy_blocks
from ..problem import quote
from . import allows_nothing, tool_name

CHECK = Check("DCC708", "unknown-tool", "warning", kind="sections")


def _refused(block: ToolPolicy) -> tuple[str, ...]:
    """The lists of a block that may not stand side by side: that is to be mended first."""
    return ("allow", "alsoAllow") if block.allow and block.alsoAllow else ()


def run(context: Context) -> Iterator[Diagnostic]:
    named = list(named_tools(context.ruleset))
    if not named or brings_unknown(tool_sections(context.ruleset)):
        return
    found = allows_nothing.places(context) | tool_name.places(context)
    found |= {(*path, key) for path, block in policy_blocks(context.ruleset) for key in _refused(block)}
    for path, name in named:
        plain = normal_name(name)
        told = path in found or path[:-1] in found or plain.startswith(GROUP_PREFIX)
        if plain and not told and kind_of(plain, context.policy.present) == "unknown":
            said = "matches no tool that is known" if ALL in plain else "is no tool, group or plugin that is known"
            yield from context.report(
                CHECK,
                path,
                f"{quote(name)} {said}",
                help="take it out, or name the plugin that brings it under tools.plugins",
            )
