"""A tool is allowed or denied, not both.

## What it finds

A name in both lists of one block of a tool policy, or of `pruning.tools`.

## Why it matters

deny wins wherever both match, so the name in allow does nothing.

## Example

    tools: {allow: [read, exec], deny: [exec]}

## Instead

    tools: {allow: [read], deny: [exec]}

## Fix

Take the name out of one of the lists.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..check import Check, Context
from ..diagnostics import Diagnostic
from ..policy.names import normal_name
from ..policy.written import policy_blocks
from ..problem import KeyPath, quote

CHECK = Check("DCC704", "allowed-and-denied", "warning", kind="sections")


def run(context: Context) -> Iterator[Diagnostic]:
    lists: list[tuple[KeyPath, tuple[str, ...], tuple[str, ...]]] = []
    for path, block in policy_blocks(context.ruleset):
        lists += [((*path, key), getattr(block, key) or (), block.deny or ()) for key in ("allow", "alsoAllow")]
    if context.ruleset.pruning is not None:
        tools = context.ruleset.pruning.tools
        lists.append((("pruning", "tools", "allow"), tools.allow, tools.deny))
    for path, allowed, denied in lists:
        refused = {normal_name(name): index for index, name in enumerate(denied)}
        for index, name in enumerate(allowed):
            if (at := refused.get(normal_name(name))) is not None:
                yield from context.report(
                    CHECK,
                    (*path, index),
                    f"{quote(name)} is allowed here and denied as well: deny wins",
                    help="take it out of one of the lists",
                    related=(("it is denied here", (*path[:-1], "deny", at)),),
                )
