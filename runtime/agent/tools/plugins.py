"""Tools that installed distributions bring: the entry points ``dcc.tools``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from ....compiler.policy.installed import GROUP
from .arguments import ToolError
from .callables import tool_of
from .tool import AgentTool


class Problem(NamedTuple):
    """A plugin that could not be had, or a tool of it: what is wrong, and how to mend it."""

    plugin: str
    message: str
    help: str | None = None


def entry_point_tools() -> tuple[list[AgentTool], list[Problem]]:
    """The tools of every entry point, and those that could not be loaded.

    An entry point names a function with typed parameters, an AgentTool, or a list of these. The name of the entry
    point is the name of the plugin.
    """
    from importlib.metadata import entry_points

    tools: list[AgentTool] = []
    problems = []
    for point in sorted(entry_points(group=GROUP), key=lambda point: (point.name, point.value)):
        try:
            tools += [_tool(item, point.name) for item in _items(point.load())]
        except ToolError as error:
            problems.append(Problem(point.name, f"the entry point {point.name}: {error.message}", error.help))
        except Exception as error:  # what somebody else's module raises at its import must not end a run
            said = f"{type(error).__name__}: {error}"
            problems.append(
                Problem(point.name, f"the entry point {point.name} = {point.value} cannot be loaded: {said}")
            )
    return tools, problems


def _items(loaded: Any) -> Iterable[Any]:
    return loaded if isinstance(loaded, list | tuple) else (loaded,)


def _tool(item: Any, plugin: str) -> AgentTool:
    if isinstance(item, AgentTool):
        return AgentTool(item.name, item.description, item.parameters, item.run, plugin)
    if callable(item):
        return tool_of(item, plugin=plugin)
    raise ToolError("bad_plugin", f"{item!r} is no tool", help="name a function, an AgentTool, or a list of them")
