"""``tools``, ``agents.<id>.tools`` and ``groups.<id>.tools``: which tools exist for a model."""

from __future__ import annotations

from pydantic import Field

from .base import HostSection, Section, Texts


class ToolPolicy(Section):
    """A policy block. Names may hold ``*``; ``deny`` wins; ``alsoAllow`` widens ``profile``."""

    profile: str | None = None
    allow: Texts | None = None
    deny: Texts | None = None
    alsoAllow: Texts | None = None


class ToolsSection(ToolPolicy):
    """The policy of a scope, and one for each provider or model (``byProvider``)."""

    byProvider: dict[str, ToolPolicy] = Field(default_factory=dict)


class ToolScope(HostSection):
    """An agent or a group: dcc reads its ``tools``."""

    tools: ToolsSection | None = None
