"""What a list allows, no earlier step has taken away.

## What it finds

A name in allow or alsoAllow all of whose tools an earlier step denies or does not list, for every agent and every
provider that the list is read for.

## Why it matters

Steps are asked in this order: profile, profile by provider, the lists of the ruleset, of the provider, of the agent,
of the agent by provider, of the group. None brings back what one before it took away, so the name does nothing.

## Example

    tools: {deny: [exec]}
    agents: {runner: {tools: {allow: [read, exec]}}}

## Instead

    tools: {deny: [process]}
    agents: {runner: {tools: {allow: [read, exec]}}}

## Fix

Allow the tool in the earlier step (`alsoAllow` widens a profile), or take the name out.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..check import Check, Context
from ..diagnostics import Diagnostic
from ..facts.tools import combinations, place_of
from ..policy.matching import Matcher
from ..policy.names import ALL, normal_name, normal_names
from ..policy.table import PolicyTable
from ..policy.verdicts import Verdicts
from ..policy.written import policy_blocks
from ..problem import KeyPath, quote, show_path

CHECK = Check("DCC710", "denied-earlier", "warning", kind="sections")


def run(context: Context) -> Iterator[Diagnostic]:
    blocks = dict(policy_blocks(context.ruleset))
    if not blocks:
        return
    takers = _takers(context.policy)
    for path, block in blocks.items():
        ways = takers.get(path, ())
        for key in ("allow", "alsoAllow"):
            for index, name in enumerate(getattr(block, key) or ()):
                if normal_name(name) in {ALL, *normal_names(block.deny)}:
                    continue
                taken = [_taken_by(context.policy, name, earlier) for earlier in ways]
                if not taken or None in taken or (place := taken[0]) is None:
                    continue
                message = f"{quote(name)} does nothing here: {show_path(place)} has taken it away before"
                help = f"let it through in {show_path(place)}, or take it out here"
                related = ((f"{show_path(place)} is here", place),)
                yield from context.report(CHECK, (*path, key, index), message, help=help, related=related)


def _takers(table: PolicyTable) -> dict[KeyPath, list[tuple[Verdicts, ...]]]:
    """The steps before each block, in every combination that the block is read in."""
    found: dict[KeyPath, list[tuple[Verdicts, ...]]] = {}
    for agent, group, keys in combinations(table):
        verdicts = table.verdicts(agent, group, keys)
        for index, one in enumerate(verdicts):
            if one.step.number > 2:
                ways = found.setdefault(one.step.path, [])
                if verdicts[:index] not in ways:
                    ways.append(verdicts[:index])
    return found


def _taken_by(table: PolicyTable, name: str, earlier: tuple[Verdicts, ...]) -> KeyPath | None:
    """The list that takes the last of an entry's tools away; None when one is left, or none is known."""
    matcher = Matcher.of((name,), table.present, compat=table.rules.compat)
    left = {index for index, tool in enumerate(table.names) if matcher.entry_for(tool) is not None}
    for one in earlier if left else ():
        gone = {i: d for i in left if (d := one.decisions[i]) is not None and not d.allowed}
        left -= gone.keys()
        if not left:
            # A step that is wrong by itself is found for that.
            wrong = any(note.severity == "error" for note in one.notes)
            denied = any(decision.why == "deny" for decision in gone.values())
            return None if wrong else place_of(one.step.path, one.step.policy, denied=denied)
    return None
