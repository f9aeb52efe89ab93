"""A tool group exists.

## What it finds

A name `group:…` in allow, alsoAllow or deny that is no group.

## Why it matters

It matches nothing: what was to be denied is allowed, what was to be allowed is missing.

## Example

    tools: {deny: ["group:shell"]}

## Instead

    tools: {deny: ["group:runtime"]}

## Fix

Use a group that exists, or name the tools.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..check import Check, Context
from ..diagnostics import Diagnostic
from ..policy.names import GROUPS, normal_name
from ..policy.written import named_tools
from ..problem import nearest, one_of, quote, respell, sure

CHECK = Check("DCC703", "unknown-group", "error", kind="sections")

_PREFIX = "group:"
_SHORT = tuple(name.removeprefix(_PREFIX) for name in GROUPS)


def run(context: Context) -> Iterator[Diagnostic]:
    for path, name in named_tools(context.ruleset):
        if not normal_name(name).startswith(_PREFIX) or normal_name(name) in GROUPS:
            continue
        short = normal_name(name).removeprefix(_PREFIX)
        near, meant = nearest(short, _SHORT), sure(short, _SHORT)
        yield from context.report(
            CHECK,
            path,
            f"there is no tool group {quote(name)}, so it matches no tool",
            help=f"did you mean {quote(_PREFIX + near)}?" if near else f"the groups are {one_of(GROUPS)}",
            mends=(respell(path, _PREFIX + meant),) if meant else (),
        )
