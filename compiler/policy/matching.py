"""Matching a tool's name against a list of entries (agent runtime spec, sections 1.2, 1.4 and 1.9)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from .names import ALL, GROUPS, PLUGINS, normal_name


@dataclass(frozen=True, slots=True)
class Present:
    """The tools that there are, by normal name: those of plugins apart from all others.

    ``by_plugin`` goes from the plugin's id in small letters to its tools; none where they are not known. ``partial``:
    plugins may bring further ones, so that a name that nothing here has may be of one of theirs.
    """

    core: frozenset[str]
    plugin_tools: tuple[str, ...] = ()
    by_plugin: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    partial: bool = False

    @staticmethod
    def of(
        tools: Iterable[tuple[str, str | None]], plugins: Iterable[str] = (), *, partial: bool = False
    ) -> Present:
        """From pairs of a tool's name and its plugin's id; None: it belongs to no plugin.

        ``plugins``: ids of further plugins.
        """
        core: set[str] = set()
        by_plugin: dict[str, list[str]] = {plugin.lower(): [] for plugin in plugins}
        names: list[str] = []
        for raw, plugin in tools:
            name = normal_name(raw)
            if plugin is not None:
                names.append(name)
                by_plugin.setdefault(plugin.lower(), []).append(name)
            elif name:
                core.add(name)
        return Present(frozenset(core), tuple(names), {key: tuple(value) for key, value in by_plugin.items()}, partial)


def members_of(entry: str, present: Present, *, compat: bool = False) -> tuple[str, ...]:
    """The names that a normalised entry stands for: the members of a group, the tools of a plugin, or itself.

    A plugin that is called like a core tool gives its tools beside that tool; with ``compat`` in its place, as the
    original does: there ``deny: [exec]`` spares exec as soon as some plugin has that id.
    """
    if entry == PLUGINS:
        return present.plugin_tools or (entry,)
    if tools := present.by_plugin.get(entry):
        named = tools if compat or entry not in present.core else (entry, *tools)
        return named
    return GROUPS.get(entry, (entry,))


def pattern_of(name: str) -> re.Pattern[str]:
    """The expression of a name with ``*``, which alone has a meaning: any run of characters.

    Each part between two stars is taken where it first stands, and never elsewhere: no match needs it later, and a
    name with many stars is told in the time of one.
    """
    first, *between = name.split(ALL)
    if not between:
        return re.compile(re.escape(first))
    parts = "".join(f"(?>.*?{re.escape(part)})" for part in between[:-1] if part)
    return re.compile(f"{re.escape(first)}{parts}.*{re.escape(between[-1])}", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Matcher:
    """A list of entries, ready to be asked. An exact name is told before a pattern, a pattern before ``*``."""

    exact: Mapping[str, str]
    patterns: tuple[tuple[re.Pattern[str], str], ...]
    everything: str | None

    @staticmethod
    def of(entries: Iterable[str], present: Present, *, compat: bool = False) -> Matcher:
        """The matcher of a list as it is written."""
        exact: dict[str, str] = {}
        patterns: list[tuple[re.Pattern[str], str]] = []
        everything: str | None = None
        for raw in entries:
            for name in members_of(normal_name(raw), present, compat=compat):
                if name == ALL:
                    everything = everything or raw
                elif ALL in name:
                    patterns.append((pattern_of(name), raw))
                elif name:
                    exact.setdefault(name, raw)
        return Matcher(exact, tuple(patterns), everything)

    @property
    def empty(self) -> bool:
        """Whether the list holds nothing that could match."""
        return not (self.exact or self.patterns or self.everything)

    def entry_for(self, name: str) -> str | None:
        """The entry, as written, that matches a normalised name; None: none does."""
        if (entry := self.exact.get(name)) is not None:
            return entry
        for pattern, entry in self.patterns:
            if pattern.fullmatch(name):
                return entry
        return self.everything
