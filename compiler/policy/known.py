"""The tools that are known before a session runs: dcc's own, the catalogue, and what plugins are said to bring."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .installed import installed_plugins
from .names import CATALOGUE, OWN_GROUPS, normal_name

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

    ``plugin_tools`` were found by asking plugins; those that the ruleset declares (``tools.plugins``) come before. A
    tool of the catalogue that a plugin brings is the plugin's.
    """
    own = built_in(sections)
    declared = ((sections.get("tools") or {}).get("plugins") or {}).items()
    pairs = dict.fromkeys((*((tool, plugin) for plugin, tools in declared for tool in tools), *plugin_tools))
    brought = {normal_name(tool) for tool, _ in pairs}
    hosts = sorted(CATALOGUE - {*own, *brought, *(name for members in OWN_GROUPS.values() for name in members)})
    return (*((name, None) for name in (*own, *hosts)), *pairs)


def plugins_of(sections: Mapping[str, Any]) -> tuple[str, ...]:
    """The ids of all plugins that a ruleset declares, servers of tools (``tools.mcp``) among them."""
    tools = sections.get("tools") or {}
    return (*(tools.get("plugins") or {}), *(tools.get("mcp") or {}))


def brings_unknown(sections: Mapping[str, Any]) -> bool:
    """Whether a plugin is declared, or installed, whose tools are known only when it runs."""
    tools = sections.get("tools") or {}
    return bool(tools.get("mcp") or installed_plugins()) or not all((tools.get("plugins") or {}).values())
