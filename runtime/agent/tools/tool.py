"""A tool: what the model is told of it, and what carries a call out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ...kernel.content import Content
from ...providers.abort import Abort
from ...providers.protocol import Tool
from .workspace import Workspace

#: Longest time for one call where nobody says otherwise, in seconds.
CALL_S = 600.0


@dataclass(frozen=True, slots=True)
class ToolContext:
    """Where a call is carried out.

    ``deadline_s`` is how long the call may take, in seconds from its start. ``environment`` is what child processes
    get, and nothing else (``environment.child_environment``). A tool looks at ``abort`` wherever it waits.
    """

    workspace: Workspace
    abort: Abort = field(default_factory=Abort)
    deadline_s: float = CALL_S
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ToolOutput:
    """What a call came to. ``details`` are facts for the host; no model sees them."""

    content: Content
    is_error: bool = False
    details: Mapping[str, Any] | None = None


Run = Callable[[Mapping[str, Any], ToolContext], ToolOutput]


@dataclass(frozen=True, slots=True)
class AgentTool:
    """A tool of an agent.

    ``parameters`` is the JSON Schema of its arguments, an object. ``plugin`` is who brought it: the name of an MCP
    server or of an entry point; None: dcc itself or the host. ``run`` takes the parsed arguments and never raises
    for what the model did wrong: that is an output with ``is_error``.
    """

    name: str
    description: str
    parameters: Mapping[str, Any]
    run: Run
    plugin: str | None = None

    @property
    def declaration(self) -> Tool:
        """The tool as a provider is told of it."""
        return Tool(self.name, self.description, self.parameters)


def failed(message: str, help: str | None = None) -> ToolOutput:
    """The output of a call that could not be carried out: what is wrong, and how to mend it."""
    return ToolOutput(message if help is None else f"{message}\n{help}", is_error=True)
