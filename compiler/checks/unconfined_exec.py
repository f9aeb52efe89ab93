"""Commands are confined to the workspace.

## What it finds

`unconfined: true` in `tools.exec`.

## Why it matters

Where the system has neither bubblewrap nor Landlock, commands then run without any bound: they can read and write
every file that dcc can, keys included. Where it has, they are confined all the same; that is no sandbox either, since
the network stays open.

## Example

    tools: {exec: {unconfined: true}}

## Instead

    tools: {exec: {timeout: 60}}

## Fix

Leave it out where commands can be confined; `dcc tools` says what the system has. Else run dcc itself in a container.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..check import Check, Context
from ..diagnostics import Diagnostic

CHECK = Check("DCC716", "unconfined-exec", "info", kind="sections")


def run(context: Context) -> Iterator[Diagnostic]:
    tools = context.ruleset.tools
    if tools is None or tools.exec is None or not tools.exec.unconfined:
        return
    yield from context.report(
        CHECK,
        ("tools", "exec", "unconfined"),
        "commands run also where nothing confines them to the workspace: this is no sandbox",
        help="leave it out where the system has bubblewrap or Landlock",
        on="key",
    )
