"""The steps of a tool policy leave a tool.

## What it finds

An agent, a group or a provider for which two steps have no tool in common. A deny list that holds `*` is meant so,
and is no finding.

## Why it matters

Every step can only take tools away, so the lists of several scopes have to meet. Where they do not, the model has no
tool at all.

## Example

    tools: {allow: [read, edit]}
    agents: {runner: {tools: {allow: [exec]}}}

## Instead

    tools: {allow: [read, edit, exec]}
    agents: {runner: {tools: {allow: [exec]}}}

## Fix

Name in every step what shall be left, or write `deny: ["*"]` if nothing shall.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..check import Check, Context
from ..diagnostics import Diagnostic
from ..facts.tools import combinations, place_of, told
from ..policy.names import ALL, normal_names
from ..policy.steps import Policy
from ..policy.verdicts import Verdicts
from ..policy.written import policy_blocks
from ..problem import KeyPath

CHECK = Check("DCC709", "no-tool-left", "warning", kind="sections")


def run(context: Context) -> Iterator[Diagnostic]:
    if not any(True for _ in policy_blocks(context.ruleset)):
        return
    table, found = context.policy, set[KeyPath]()
    for agent, group, keys in combinations(table):
        if agent is not None and group is not None:
            continue  # Not every agent is in every group.
        verdicts = table.verdicts(agent, group, keys)
        last = _last(verdicts, len(table.names))
        if last is None or _meant(last):
            continue
        path = place_of(last.step.path, last.step.policy)
        if path not in found:
            found.add(path)
            where = told(agent, group, keys)
            message = f"no tool is left after {last.step.label}" + (f" ({where})" if where else "")
            before = [(f"{v.step.label} is here", v.step.path) for v in verdicts if v.step.number < last.step.number]
            help = 'let the steps have a tool in common, or write deny: ["*"]'
            yield from context.report(CHECK, path, message, help=help, related=tuple(before))


def _last(verdicts: tuple[Verdicts, ...], tools: int) -> Verdicts | None:
    """The step that takes the last tool away; None when tools are left."""
    left = set(range(tools))
    for one in verdicts:
        left -= {i for i, decision in enumerate(one.decisions) if decision is not None and not decision.allowed}
        if not left:
            return one
    return None


def _meant(last: Verdicts) -> bool:
    """Whether the step denies all by a word of its own, or is wrong by itself and found for that."""
    policy: Policy = last.step.policy
    wrong = any(note.severity == "error" for note in last.notes)
    return wrong or ALL in normal_names(policy.deny)
