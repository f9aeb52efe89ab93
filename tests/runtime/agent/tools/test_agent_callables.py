"""Python functions as tools: the signature is the schema."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field

from dcc.runtime.agent.tools.arguments import ToolError
from dcc.runtime.agent.tools.callables import tool_of
from dcc.runtime.agent.tools.plugins import entry_point_tools
from dcc.runtime.agent.tools.registry import SERVED, Toolset, named_apart, open_toolset
from dcc.runtime.agent.tools.tool import AgentTool, ToolContext, ToolOutput
from dcc.runtime.agent.tools.workspace import Workspace


class Point(BaseModel):
    x: int
    y: int = 0


def weather(
    town: Annotated[str, Field(description="The name of a town.")],
    days: Annotated[int, Field(ge=1, le=7)] = 1,
    unit: Literal["C", "F"] = "C",
) -> str:
    """The weather to come.

    In words.
    """
    return f"{town}, {days} days, {unit}"


@pytest.fixture
def context(tmp_path: Path) -> Iterator[ToolContext]:
    with Workspace(tmp_path) as workspace:
        yield ToolContext(workspace)


def test_the_signature_is_the_schema() -> None:
    tool = tool_of(weather)
    assert (tool.name, tool.description) == ("weather", "The weather to come.\n\nIn words.")
    assert tool.parameters == {
        "type": "object",
        "properties": {
            "town": {"type": "string", "description": "The name of a town."},
            "days": {"type": "integer", "minimum": 1, "maximum": 7, "default": 1},
            "unit": {"type": "string", "enum": ["C", "F"], "default": "C"},
        },
        "required": ["town"],
        "additionalProperties": False,
    }


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({}, "town: field required"),
        ({"town": "Rome", "days": 9}, "days: input should be less than or equal to 7"),
        ({"town": "Rome", "unit": "K"}, "unit: input should be 'C' or 'F'"),
        ({"town": "Rome", "where": 1}, "where: extra inputs are not permitted"),
    ],
)
def test_wrong_arguments_are_told(arguments: dict[str, Any], said: str, context: ToolContext) -> None:
    output = tool_of(weather).run(arguments, context)
    assert output.is_error
    assert said in str(output.content)
    assert "the arguments are town, days, unit" in str(output.content)


def test_checked_arguments_reach_the_function(context: ToolContext) -> None:
    def double(point: Point, times: float = 2.0) -> dict[str, float]:
        return {"x": point.x * times, "y": point.y * times}

    assert tool_of(double).run({"point": {"x": "3"}}, context).content == '{"x": 6.0, "y": 0.0}'


def test_a_context_is_given_by_dcc_and_seen_by_no_model(context: ToolContext) -> None:
    def where(here: ToolContext, name: str) -> str:
        return f"{name} in {here.workspace.path.name}"

    tool = tool_of(where)
    assert list(tool.parameters["properties"]) == ["name"]
    assert tool.run({"name": "a"}, context).content == f"a in {context.workspace.path.name}"
    assert tool.run({"name": "a", "here": 1}, context).is_error


def test_names_that_pydantic_keeps_for_itself_can_be_parameters(context: ToolContext) -> None:
    def odd(model_config: str, schema: int, copy: bool, _hidden: str = "h") -> str:
        return f"{model_config} {schema} {copy} {_hidden}"

    output = tool_of(odd).run({"model_config": "m", "schema": 1, "copy": True}, context)
    assert output.content == "m 1 True h"


def test_a_coroutine_function_is_awaited(context: ToolContext) -> None:
    async def later(word: str) -> str:
        return word.upper()

    assert tool_of(later).run({"word": "now"}, context).content == "NOW"


def test_what_a_function_raises_is_an_error_output(context: ToolContext) -> None:
    def broken() -> str:
        raise KeyError("town")

    output = tool_of(broken).run({}, context)
    assert (output.content, output.is_error) == ("broken failed: KeyError: 'town'", True)


@pytest.mark.parametrize(
    ("returned", "content"), [(None, "done"), ([1, "é"], '[1, "é"]'), (Point(x=1), '{"x":1,"y":0}'), ("a", "a")]
)
def test_what_a_function_returns_becomes_content(returned: Any, content: str, context: ToolContext) -> None:
    def give() -> Any:
        return returned

    assert tool_of(give).run({}, context) == ToolOutput(content)


def test_an_output_is_taken_as_it_is(context: ToolContext) -> None:
    def give() -> ToolOutput:
        return ToolOutput("no", is_error=True, details={"why": 1})

    assert tool_of(give).run({}, context).details == {"why": 1}


def _variadic(*words: str) -> str:
    return ""


def _untyped(word) -> str:  # type: ignore[no-untyped-def]
    return ""


def _no_json(stream: Iterator[ToolContext], place: Workspace) -> str:
    return ""


@pytest.mark.parametrize("function", [_variadic, _untyped, _no_json])
def test_a_signature_that_no_model_could_fill_is_refused(function: Any) -> None:
    with pytest.raises(ToolError) as caught:
        tool_of(function)
    assert caught.value.code == "bad_signature"


# Toolsets


def plain(name: str, plugin: str | None = None) -> AgentTool:
    return AgentTool(name, "", {"type": "object", "properties": {}}, lambda given, context: ToolOutput(name), plugin)


@pytest.mark.parametrize(
    ("plugins", "names"),
    [
        ([("a", "search")], ["search"]),
        ([("a", "search"), ("b", "search")], ["a__search", "b__search"]),
        ([("a", "READ"), ("a", "bash"), ("a", "dc_recall")], ["a__READ", "a__bash", "a__dc_recall"]),
        ([("a", "x.y"), ("b", "x_y")], ["a__x.y", "b__x_y"]),
        ([("a", "read"), ("b", "a__read")], ["a__read"]),
        ([("a", "context_update"), ("a", "artifact_get"), ("a", "canon")],
         ["a__context_update", "a__artifact_get", "a__canon"]),
    ],
)  # fmt: skip
def test_names_that_clash_are_prefixed(plugins: list[tuple[str, str]], names: list[str]) -> None:
    core = [plain(name) for name in ("read", "write", "edit", "exec")]
    tools, _ = named_apart(core, [plain(name, plugin) for plugin, name in plugins])
    assert [tool.name for tool in tools[4:]] == names


def test_a_clash_that_prefixes_do_not_solve_is_told() -> None:
    tools, problems = named_apart([plain("read")], [plain("read", "a"), plain("a__read", "b")])
    assert [tool.plugin for tool in tools] == [None, "b"]
    assert [problem.plugin for problem in problems] == ["a"]


def test_what_the_session_serves_is_known_by_name() -> None:
    assert SERVED == ("dc_recall", "context_update", "artifact_get")


def test_calls_that_go_nowhere_are_answered(context: ToolContext) -> None:
    tools = Toolset([plain("look"), plain("find")])
    assert tools.run("look", "", context).content == "look"
    assert tools.run("loook", "{}", context).content == "there is no tool loook\nthe tools are find, look"
    assert tools.run("look", "{}", context, allowed={"find"}).is_error
    assert tools.run("look", "[1]", context).is_error
    assert tools.run("look", '{"a": ', context).is_error


def test_a_toolset_without_plugins_has_the_built_in_tools_and_those_of_the_host(context: ToolContext) -> None:
    with open_toolset(None, context.workspace, more=[tool_of(weather)], entry_points=False) as tools:
        assert [tool.name for tool in tools] == ["read", "write", "edit", "exec", "weather"]


# Entry points


class _Point:
    """An entry point, as importlib.metadata gives it."""

    def __init__(self, name: str, loaded: Any) -> None:
        self.name = name
        self.value = f"module:{name}"
        self._loaded = loaded

    def load(self) -> Any:
        if isinstance(self._loaded, Exception):
            raise self._loaded
        return self._loaded


def test_entry_points_bring_tools_and_a_broken_one_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    points = [
        _Point("town", weather), _Point("many", [plain("one"), plain("two")]), _Point("broken", ImportError("gone")),
        _Point("odd", 3), _Point("typeless", _untyped),
    ]  # fmt: skip
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda group: points if group == "dcc.tools" else [])
    tools, problems = entry_point_tools()
    assert [(tool.name, tool.plugin) for tool in tools] == [("one", "many"), ("two", "many"), ("weather", "town")]
    assert [problem.plugin for problem in problems] == ["broken", "odd", "typeless"]
    assert "ImportError: gone" in problems[0].message
