"""The policy table of a ruleset over the tools that are known when it is checked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..ir.ruleset import Ruleset
from ..policy.installed import installed_plugins
from ..policy.known import brings_unknown, known_tools, plugins_of
from ..policy.rules import policy_rules
from ..policy.steps import Policy
from ..policy.table import Keys, PolicyTable, compile_policy
from ..problem import KeyPath
from ..program import ElementRow

#: The sections of a ruleset that say something of tools.
_SECTIONS = {"tools", "agents", "groups", "compat", "governance", "canon"}


def tool_sections(ruleset: Ruleset) -> dict[str, Any]:
    """What a ruleset says of tools, as plain values."""
    return ruleset.model_dump(mode="json", include=_SECTIONS)


def policy_table(
    ruleset: Ruleset, rows: Mapping[str, ElementRow], plugin_tools: tuple[tuple[str, str], ...] | None = None
) -> PolicyTable:
    """The table over dcc's own tools, the catalogue, and those of plugins.

    ``plugin_tools`` are all that plugins bring; None: they have not been asked, and their ids are known alone.
    """
    sections = tool_sections(ruleset)
    offloads = any(row.retire == "offload" for row in rows.values())
    rules = policy_rules(sections, offloads=offloads)
    partial = plugin_tools is None and brings_unknown(sections)
    plugins = (*plugins_of(sections), *installed_plugins())
    return compile_policy(rules, known_tools(sections, plugin_tools or ()), plugins, partial=partial)


def combinations(table: PolicyTable) -> Iterator[tuple[str | None, str | None, Keys]]:
    """Every agent, group and provider key that the ruleset tells apart; None and (): none of them."""
    for agent, keys in table.foreseen():
        for group in (None, *table.rules.groups):
            yield agent, group, keys


def told(agent: str | None, group: str | None, keys: Keys) -> str:
    """A combination as a message names it; empty for a run without agent, group and provider."""
    parts = [f"agent {agent}"] if agent is not None else []
    parts += [f"group {group}"] if group is not None else []
    parts += [f"provider {keys[0]}"] if keys else []
    return ", ".join(parts)


def place_of(path: KeyPath, policy: Policy, *, denied: bool = False) -> KeyPath:
    """Where the list of a step is written that takes tools away: its allow list, or its deny list."""
    if path[-1:] == ("profile",):
        return path
    return (*path, "deny" if denied or policy.allow is None else "allow")
