"""The tools of an agent: dcc's own, the host's, and those of plugins (MCP servers, ``dcc.tools`` entry points)."""

from __future__ import annotations

import contextlib
import os
import time
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, Final, NamedTuple

from ....compiler.policy.names import normal_name
from ...kernel.content import Unusable, require_object
from ...providers.abort import Abort
from ...providers.protocol import Tool
from ...view.wire import wire_name
from .arguments import ToolError
from .edit import EDIT
from .environment import child_environment
from .exec import Exec
from .hiding import hide
from .mcp import STARTING_S, Server
from .mcp_life import CALL_S, ServerCommand
from .plugins import Problem, entry_point_tools
from .portal import Portal
from .read import READ
from .tool import AgentTool, ToolContext, ToolOutput, failed
from .workspace import Workspace
from .write import WRITE

#: Tools that the session itself answers (``Session.serve``): they are no AgentTool, and no plugin has their names.
SERVED: Final = ("dc_recall", "context_update", "artifact_get")
#: Names that dcc keeps although this module does not offer them.
_KEPT: Final = (*SERVED, "canon")


class Known(NamedTuple):
    """A tool as policies know it: its name, and the plugin that brought it."""

    name: str
    plugin: str | None


class Toolset:
    """The tools of an agent by name. ``problems`` are plugins that could not be had."""

    def __init__(
        self, tools: Iterable[AgentTool], problems: Iterable[Problem] = (), closing: contextlib.ExitStack | None = None
    ) -> None:
        self._tools = {tool.name: tool for tool in tools}
        self.problems = tuple(problems)
        self._closing = closing or contextlib.ExitStack()

    def __enter__(self) -> Toolset:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __iter__(self) -> Iterator[AgentTool]:
        return iter(self._tools.values())

    def __contains__(self, name: object) -> bool:
        return name in self._tools

    def close(self) -> None:
        """End the servers."""
        self._closing.close()

    @property
    def known(self) -> tuple[Known, ...]:
        """What a policy decides about: these tools, without those that the session serves."""
        return tuple(Known(tool.name, tool.plugin) for tool in self)

    def declarations(self, allowed: Collection[str]) -> tuple[Tool, ...]:
        """Those of ``allowed`` as a provider is told of them."""
        return tuple(tool.declaration for tool in self if tool.name in allowed)

    def run(
        self,
        name: str,
        arguments: str | Mapping[str, Any],
        context: ToolContext,
        allowed: Collection[str] | None = None,
    ) -> ToolOutput:
        """Carry out a call; ``arguments`` is JSON text or the object. What is wrong with it is an error output."""
        tool = self._tools.get(name) if allowed is None or name in allowed else None
        if tool is None:
            # Those of `allowed` that the session serves exist as well.
            names = sorted(self._tools if allowed is None else allowed)
            return failed(f"there is no tool {name}", f"the tools are {', '.join(names) or 'none'}")
        try:
            given = arguments if isinstance(arguments, Mapping) else require_object(arguments or "{}")
        except Unusable as fault:
            return failed(f"the arguments of {name} {fault.what}", fault.help)
        return tool.run(given, context)


def open_toolset(
    section: Mapping[str, Any] | None,
    workspace: Workspace,
    *,
    environ: Mapping[str, str] = os.environ,
    secrets: Collection[str] = (),
    more: Iterable[AgentTool] = (),
    entry_points: bool = True,
    abort: Abort | None = None,
    starting_s: float = STARTING_S,
) -> Toolset:
    """The tools that the section ``tools`` of a program (plain data) calls for. Close it when done.

    ``more`` are the host's own. ``secrets`` are values that no child process may get: they are hidden in what it can
    see of this process, too. A plugin that cannot be had is a problem of the toolset, not an error; servers have
    ``starting_s`` seconds, and until an abort, to be there.
    """
    section = section or {}
    hide(secrets)
    core = [READ, WRITE, EDIT, Exec.of(section.get("exec")).tool, *more]
    found: list[AgentTool] = []
    problems: list[Problem] = []
    if entry_points:
        brought, wrong = entry_point_tools()
        found += brought
        problems += wrong
    with contextlib.ExitStack() as closing:
        commands = [
            _command(name, server, workspace, environ, secrets)
            for name, server in (section.get("mcp") or {}).items()
        ]
        until = time.monotonic() + min(starting_s, STARTING_S)
        brought, wrong = _started(commands, closing, abort or Abort(), until)
        tools, clashes = named_apart(core, [*found, *brought])
        return Toolset(tools, [*problems, *wrong, *clashes], closing.pop_all())
    raise AssertionError("an exit stack lets every error through")


def exec_environment(
    section: Mapping[str, Any] | None, environ: Mapping[str, str], secrets: Collection[str] = ()
) -> dict[str, str]:
    """``ToolContext.environment`` of a ruleset: what is on dcc's list and in ``tools.exec.env``, and no secret."""
    names = ((section or {}).get("exec") or {}).get("env") or ()
    return child_environment(environ, names, secrets)


def named_apart(core: Sequence[AgentTool], plugins: Sequence[AgentTool]) -> tuple[list[AgentTool], list[Problem]]:
    """All tools, no two of which policies or providers would take for one.

    dcc's own keep their names. A plugin's tool whose name is taken, by one of those or by another plugin, becomes
    ``plugin__tool``; all of them do, so that the order of plugins does not matter.
    """
    taken = {_key(name) for name in (*(tool.name for tool in core), *_KEPT)}
    counts = Counter(_key(tool.name) for tool in plugins)
    tools = list(core)
    problems = []
    clear = [tool for tool in plugins if _key(tool.name) not in taken and counts[_key(tool.name)] == 1]
    tools += clear
    taken |= {_key(tool.name) for tool in clear}
    for tool in plugins:
        if tool in clear:
            continue
        name = f"{tool.plugin}__{tool.name}"
        if _key(name) in taken:
            problems.append(Problem(tool.plugin or "", f"a second tool {name} is left out: rename it, or the plugin"))
            continue
        taken.add(_key(name))
        tools.append(AgentTool(name, tool.description, tool.parameters, tool.run, tool.plugin))
    return tools, problems


def _key(name: str) -> str:
    """What policies and providers compare a name by."""
    return wire_name(normal_name(name)).lower()


def _command(
    name: str, server: Mapping[str, Any], workspace: Workspace, environ: Mapping[str, str], secrets: Collection[str]
) -> ServerCommand:
    environment = child_environment(environ, server.get("env") or (), secrets, trusted=True)
    return ServerCommand(
        name, server["command"], tuple(server.get("args") or ()), environment, str(workspace.real),
        server.get("timeout") or CALL_S,
    )  # fmt: skip


def _started(
    commands: Sequence[ServerCommand], closing: contextlib.ExitStack, abort: Abort, until: float
) -> tuple[list[AgentTool], list[Problem]]:
    """The tools of the servers, which start side by side and end with ``closing``."""
    if not commands:
        return [], []
    portal = Portal()
    closing.callback(portal.close)
    tools: list[AgentTool] = []
    problems = []
    servers = [Server(command, portal) for command in commands]

    def stop_all() -> None:
        for server in servers:
            server.stop()

    try:
        for server in servers:
            closing.callback(server.close)
            server.begin()
    except ToolError as error:
        return [], [Problem(command.name, error.message, error.help) for command in commands]
    # They end side by side, too: this runs before the callbacks that wait.
    closing.callback(stop_all)
    for server in servers:
        try:
            tools += server.tools(abort, until)
        except ToolError as error:
            problems.append(Problem(server.command.name, error.message, error.help))
    return tools, problems
