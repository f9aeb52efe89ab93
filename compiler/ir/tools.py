"""``tools``, ``agents.<id>.tools`` and ``groups.<id>.tools``: which tools exist for a model."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from .base import AtLeastOne, HostSection, Section, Texts

Seconds = Annotated[float, Field(gt=0)]


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
    """A group: dcc reads its ``tools``."""

    tools: ToolsSection | None = None


class ExecSection(Section):
    """How the tool ``exec`` runs commands; what is left out has dcc's own value.

    ``unconfined`` lets commands run where no confinement to the workspace is to be had. ``read`` are further folders
    that commands may read, ``env`` further variables that they get. ``cpu`` is seconds, ``memory`` and ``file_size``
    are MiB: limits of one process.
    """

    unconfined: bool = False
    read: Texts = ()
    env: Texts = ()
    timeout: Seconds | None = None
    cpu: AtLeastOne | None = None
    memory: AtLeastOne | None = None
    file_size: AtLeastOne | None = None


class McpServer(Section):
    """A server of tools (Model Context Protocol) that is started and spoken to over its standard streams.

    ``env`` names further variables that it gets; ``timeout`` bounds one call, in seconds.
    """

    command: str
    args: Texts = ()
    env: Texts = ()
    timeout: Seconds | None = None


class NamesOnly(Section):
    """An allow and a deny list alone."""

    allow: Texts | None = None
    deny: Texts | None = None


class SandboxSection(Section):
    """What runs in a sandbox may use: each list replaces the one above it."""

    tools: NamesOnly = Field(default_factory=NamesOnly)


class SubagentsSection(Section):
    """What subagents may use besides what none of them may; from ``maxSpawnDepth`` on they start no others."""

    maxSpawnDepth: AtLeastOne = 1
    tools: NamesOnly = Field(default_factory=NamesOnly)


class AgentTools(ToolsSection):
    """The ``tools`` of an agent."""

    sandbox: SandboxSection | None = None


class AgentScope(HostSection):
    """An agent: dcc reads its ``tools`` and its ``workspace``, the folder that its files are in."""

    tools: AgentTools | None = None
    workspace: str | None = None


class RulesetTools(AgentTools):
    """The ``tools`` of the ruleset itself: besides its policy how tools run, which is the same for everybody.

    ``plugins`` names what plugins of the host bring, for checking: an id and its tools, none if they are not known.
    """

    subagents: SubagentsSection | None = None
    plugins: dict[str, Texts] = Field(default_factory=dict)
    exec: ExecSection | None = None
    mcp: dict[str, McpServer] = Field(default_factory=dict)
