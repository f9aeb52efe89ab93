"""The tools that are known before a session runs: dcc's own, the catalogue, and what plugins are said to bring."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .names import CATALOGUE, OWN_GROUPS

#: Tools that dcc has for every agent.
ALWAYS = ("read", "write", "edit", "exec", "artifact_get", "dc_recall")


def built_in(sections: Mapping[str, Any]) -> tuple[str, ...]:
    """dcc's own tools under a ruleset: ``context_update`` and ``canon`` are there with their sections only."""
    governed = bool((sections.get("governance") or {}).get("ops"))
    return (*ALWAYS, *(("context_update",) if governed else ()), *(("canon",) if sections.get("canon") else ()))


def known_tools(
    sections: Mapping[str, Any], plugin_tools: Iterable[tuple[str, str]] = ()
) -> tuple[tuple[str, str | None], ...]:
    """Pairs of a tool and its plugin (None: none): built in, then of the catalogue, then of plugins.

    ``plugin_tools`` were found when dcc started; those that the ruleset declares (``tools.plugins``) come before.
    """
    own = built_in(sections)
    hosts = sorted(CATALOGUE - {*own, *(name for members in OWN_GROUPS.values() for name in members)})
    declared = ((sections.get("tools") or {}).get("plugins") or {}).items()
    pairs = [(tool, plugin) for plugin, tools in declared for tool in tools]
    return (*((name, None) for name in (*own, *hosts)), *dict.fromkeys((*pairs, *plugin_tools)))


def plugins_of(sections: Mapping[str, Any]) -> tuple[str, ...]:
    """The ids of all plugins that a ruleset declares, servers of tools (``tools.mcp``) among them."""
    tools = sections.get("tools") or {}
    return (*(tools.get("plugins") or {}), *(tools.get("mcp") or {}))


def brings_unknown(sections: Mapping[str, Any]) -> bool:
    """Whether a plugin is declared whose tools are known only when it runs."""
    tools = sections.get("tools") or {}
    return bool(tools.get("mcp")) or not all((tools.get("plugins") or {}).values())
