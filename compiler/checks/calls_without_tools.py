"""Ages in calls are for sessions that have tools.

## What it finds

An end counted in calls, or a refinement, where no tool exists: `tools.deny` holds `*`, or `chat.tools` is
none.

## Why it matters

Without tools every turn has one call, so an age in calls is one in turns, and no slot is ever refined.

## Example

    tools: {deny: ["*"]}
    life_cycle:
      hint: [born, born+4 calls]

## Instead

    tools: {deny: ["*"]}
    life_cycle:
      hint: [born, born+3]

## Fix

Count in turns, or let the tools in.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..check import Check, Context
from ..diagnostics import Diagnostic, Witness
from ..problem import quote

CHECK = Check("DCC224", "calls-without-tools", "warning", kind="time")


def run(context: Context) -> Iterator[Diagnostic]:
    reason = _no_tools(context)
    if reason is None:
        return
    for name, entry in context.ruleset.life_cycle.items():
        if entry.of is not None:
            message = f"{quote(name)} refines what a tool does, and there is no tool: {reason}"
            path, help = ("life_cycle", name, "of"), f"remove {quote(name)}, or let a tool in"
        elif entry.end.unit == "calls":
            message = f"the end of {quote(name)} counts calls, and without tools a turn has one: {reason}"
            path, help = ("life_cycle", name, "end"), "count the end in turns"
        else:
            continue
        yield from context.report(CHECK, path, message, help=help, witness=Witness(name, 1))


def _no_tools(context: Context) -> str | None:
    ruleset = context.ruleset
    if ruleset.tools is not None and "*" in (ruleset.tools.deny or ()):
        return "tools.deny holds `*`"
    if ruleset.chat is not None and ruleset.chat.get("tools") == "none":
        return "chat.tools is none"
    return None
