"""Where results become addresses, the tool that opens them exists.

## What it finds

A policy that takes `artifact_get` away, where a rule says `retire: offload`. Where it leaves no tool at all, nothing
is offloaded.

## Why it matters

An offloaded result is a line with an address. Without the tool the model sees that there was something, and can never
read it again.

## Example

    life_cycle:
      read: {of: toolResult, match: {tool: read}, end: born+9 calls, retire: offload}
    tools: {profile: coding, deny: ["group:context"]}

## Instead

    life_cycle:
      read: {of: toolResult, match: {tool: read}, end: born+9 calls, retire: offload}
    tools: {profile: coding, deny: [dc_recall]}

## Fix

Take `artifact_get` out of deny, add it to allow, or let the rule drop what it retires.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..check import Check, Context
from ..diagnostics import Diagnostic
from ..facts.tools import combinations, place_of, told
from ..policy.verdicts import Decision
from ..policy.written import policy_blocks
from ..problem import KeyPath, quote

CHECK = Check("DCC713", "artifacts-out-of-reach", "error", kind="sections")

TOOL = "artifact_get"


def run(context: Context) -> Iterator[Diagnostic]:
    table = context.policy if any(True for _ in policy_blocks(context.ruleset)) else None
    if table is None or not table.rules.offloads:
        return
    rule = next(name for name, row in context.rows.items() if row.retire == "offload")
    found: set[KeyPath] = set()
    for agent, group, keys in combinations(table):
        decision = table.cell(TOOL, agent, group, keys)
        if decision.allowed or not any(table.cell(tool, agent, group, keys).allowed for tool in table.names):
            continue
        step = next(v.step for v in table.verdicts(agent, group, keys) if v.step.number == decision.step)
        path = place_of(step.path, step.policy, denied=decision.why == "deny")
        if path not in found:
            found.add(path)
            where = told(agent, group, keys)
            absent = f"{TOOL} does not exist" + (f" ({where})" if where else "")
            message = f"{absent}, and {quote(rule)} makes results into addresses"
            related = (("the rule is here", ("life_cycle", rule)),)
            yield from context.report(CHECK, path, message, help=_help(decision), related=related)


def _help(decision: Decision) -> str:
    if decision.why == "deny":
        return f"take {quote(decision.rule)} out, or deny its other tools by name"
    return f"add {TOOL} to the list"
