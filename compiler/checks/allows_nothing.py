"""An allow list allows something, and so does every pattern in it.

## What it finds

An `allow` list in which no name is a tool, a group or a plugin that is known, and a pattern that matches none.

## Why it matters

Nothing is allowed by it. With `compat: openclaw` it is the other way round: such a list is ignored, every tool
is allowed, and this is a warning. A plugin that the host brings is known when `tools.plugins` names it. Where a server
of tools (`tools.mcp`) is declared or a plugin is installed (entry points `dcc.tools`), a name may be one of its tools,
and nothing is said: `dcc tools` asks them.

## Example

    tools: {allow: [lobster]}

## Instead

    tools: {allow: [lobster, read], plugins: {lobster: [lobster_run]}}

## Fix

Mend the name, or say under `tools.plugins` which plugin brings the tool.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ..check import Check, Context
from ..diagnostics import Diagnostic
from ..facts.tools import tool_sections
from ..policy.entries import kind_of
from ..policy.known import brings_unknown
from ..policy.names import ALL, GROUP_PREFIX, normal_name
from ..policy.written import policy_blocks
from ..problem import KeyPath, quote, show_path

CHECK = Check("DCC707", "allows-nothing", "error", kind="sections")

_HELP = "mend the name, or name the plugin that brings the tool under tools.plugins"


def run(context: Context) -> Iterator[Diagnostic]:
    compat = context.ruleset.compat is not None
    check = replace(CHECK, severity="warning") if compat else CHECK
    for path, message in _found(context, compat):
        yield from context.report(check, path, message, help=_HELP)


def places(context: Context) -> set[KeyPath]:
    """The lists and patterns that are found here."""
    return {path for path, _ in _found(context, context.ruleset.compat is not None)}


def _found(context: Context, compat: bool) -> Iterator[tuple[KeyPath, str]]:
    blocks = list(policy_blocks(context.ruleset))
    if not blocks or brings_unknown(tool_sections(context.ruleset)):
        return
    for path, block in blocks:
        names = [name for name in block.allow or () if name.strip()]
        # Both lists in one block, and groups that do not exist, are found by others.
        if not names or block.alsoAllow:
            continue
        kinds = {name: kind_of(normal_name(name), context.policy.present, compat=compat) for name in names}
        if any(kinds[name] == "unknown" and normal_name(name).startswith(GROUP_PREFIX) for name in names):
            continue
        if compat:
            if "core" not in kinds.values() and "unknown" in kinds.values():
                listed = ", ".join(map(quote, names))
                yield (*path, "allow"), f"{show_path(path)}.allow holds no core tool ({listed}): it is ignored"
        elif set(kinds.values()) == {"unknown"}:
            listed = ", ".join(map(quote, names))
            yield (*path, "allow"), f"{show_path(path)}.allow names no tool that is known ({listed}): it allows none"
        else:
            for index, name in enumerate(block.allow or ()):
                if ALL in name and kinds.get(name) == "unknown":
                    yield (*path, "allow", index), f"{quote(name)} matches no tool that is known: it allows none"
