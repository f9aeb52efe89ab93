"""Tools of MCP servers: a server of the official SDK runs as a process and is spoken to."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dcc.runtime.agent.tools.registry import Toolset, open_toolset
from dcc.runtime.agent.tools.tool import ToolContext
from dcc.runtime.agent.tools.workspace import Workspace
from dcc.runtime.kernel.content import Image
from dcc.runtime.providers.abort import Abort

pytest.importorskip("mcp")

SERVER = str(Path(__file__).with_name("mcp_test_server.py"))


class Place:
    """A workspace, and the file in which the server notes its starts."""

    def __init__(self, folder: Path) -> None:
        self.workspace = Workspace(folder)
        self.starts = folder / "starts"
        self.context = ToolContext(self.workspace, deadline_s=60)

    def open(self, *args: str, environ: dict[str, str] | None = None, **more: Any) -> Toolset:
        servers = {"every": {"command": sys.executable, "args": [SERVER, str(self.starts), *args], **more}}
        return open_toolset({"mcp": servers}, self.workspace, environ=environ or dict(os.environ), entry_points=False)

    def pids(self) -> list[int]:
        return [int(line) for line in self.starts.read_text().splitlines()]


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    made = Place(tmp_path)
    yield made
    made.workspace.close()


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_tools_of_a_server_are_listed_and_called(place: Place) -> None:
    with place.open() as tools:
        assert tools.problems == ()
        assert ("add", "every") in tools.known
        (add,) = tools.declarations({"add"})
        assert (add.description, add.parameters["required"]) == ("The sum of two numbers.", ["a", "b"])
        output = tools.run("add", '{"a": 2, "b": 3}', place.context)
        assert (output.content, output.is_error) == ("5", False)


def test_an_answer_without_end_ends_the_server_and_the_next_call_has_a_new_one(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dcc.runtime.agent.tools.mcp_lines.LONGEST_LINE", 1 << 20)
    with place.open() as tools:
        output = tools.run("large", {"bytes": 3_000_000}, place.context)
        assert output.is_error
        said = "the server every was ended during large: it wrote a line of more than"
        assert str(output.content).startswith(said)
        assert tools.run("add", {"a": 2, "b": 3}, place.context).content == "5"
    assert len(place.pids()) == 2


def test_a_name_that_is_taken_is_prefixed_by_the_server(place: Place) -> None:
    with place.open() as tools:
        assert ("every__read", "every") in tools.known
        assert ("read", None) in tools.known
        assert tools.run("every__read", {"path": "x"}, place.context).content == "the server's own x"


def test_arguments_that_the_server_refuses_are_an_error_that_says_why(place: Place) -> None:
    with place.open() as tools:
        output = tools.run("add", {"a": 2}, place.context)
        assert output.is_error
        assert "b" in str(output.content)


def test_a_tool_that_fails_is_an_error_output(place: Place) -> None:
    with place.open() as tools:
        output = tools.run("fail", {"why": "no such town"}, place.context)
        assert output.is_error
        assert "no such town" in str(output.content)


def test_a_big_result_keeps_its_head_and_its_tail(place: Place) -> None:
    with place.open() as tools:
        output = tools.run("large", {"bytes": 3_000_000}, place.context)
    assert isinstance(output.content, str)
    assert output.content.startswith("head xxx")
    assert output.content.endswith("xxx tail")
    assert "bytes are left out" in output.content
    assert len(output.content) < 110_000


def test_an_image_comes_as_an_image(place: Place) -> None:
    with place.open() as tools:
        output = tools.run("picture", {}, place.context)
    assert output.content == (Image("image/png", "iVBORw0K"),)


def test_a_call_that_takes_too_long_is_stopped(place: Place) -> None:
    with place.open(timeout=1.5) as tools:
        output = tools.run("wait", {"seconds": 30}, place.context)
        assert output.is_error
        assert "had not answered in" in str(output.content)


def test_an_abort_stops_a_call(place: Place) -> None:
    abort = Abort()
    with place.open() as tools:
        threading.Timer(0.2, abort.set).start()
        output = tools.run("wait", {"seconds": 30}, ToolContext(place.workspace, abort))
        assert output.is_error
        assert "aborted" in str(output.content)


def test_a_server_that_dies_in_a_call_runs_again_and_the_call_is_not_repeated(place: Place) -> None:
    with place.open() as tools:
        output = tools.run("die", {}, place.context)
        assert output.is_error
        assert "died during die; it runs again" in str(output.content)
        assert len(place.pids()) == 2
        assert tools.run("add", {"a": 1, "b": 1}, place.context).content == "2"
        assert len(place.pids()) == 2


def test_a_call_that_may_be_repeated_is_repeated_once(place: Place) -> None:
    with place.open() as tools:
        assert tools.run("die_once", {}, place.context).content == "alive again"
        assert len(place.pids()) == 2


def test_a_server_that_dies_again_is_not_started_a_third_time_in_one_call(place: Place) -> None:
    with place.open() as tools:
        output = tools.run("die_always", {}, place.context)
        assert output.is_error
        assert "once more" in str(output.content)
        assert len(place.pids()) == 2
        assert tools.run("add", {"a": 1, "b": 1}, place.context).content == "2"


def test_a_server_that_died_between_calls_is_started_for_the_next(place: Place) -> None:
    with place.open() as tools:
        (pid,) = place.pids()
        os.kill(pid, 9)
        until = time.monotonic() + 10
        while (output := tools.run("add", {"a": 1, "b": 1}, place.context)).is_error and time.monotonic() < until:
            pass
        assert output.content == "2"
        assert len(place.pids()) == 2


def test_no_process_is_left_when_the_toolset_is_closed(place: Place) -> None:
    with place.open() as tools:
        (pid,) = place.pids()
        assert is_running(pid)
    assert not is_running(pid)
    output = tools.run("add", {"a": 1, "b": 1}, place.context)
    assert output.is_error
    assert "closed" in str(output.content)


def test_a_server_that_does_not_start_is_a_problem_with_its_last_words(place: Place) -> None:
    with place.open("dies-first") as tools:
        (problem,) = tools.problems
        assert problem.plugin == "every"
        assert "there is no configuration" in problem.message
        assert "read" in tools


@pytest.mark.parametrize("stops", [False, True])
def test_a_server_that_never_answers_is_given_up_and_ended(stops: bool, place: Place) -> None:
    silent = "import os, sys, time; open(sys.argv[1], 'a').write(f'{os.getpid()}\\n'); time.sleep(600)"
    abort = Abort()
    began = time.monotonic()
    if stops:
        threading.Timer(1.0, abort.set).start()
    section = {"mcp": {"mute": {"command": sys.executable, "args": ["-c", silent, str(place.starts)]}}}
    with open_toolset(
        section, place.workspace, environ={}, entry_points=False, abort=abort, starting_s=60.0 if stops else 1.0
    ) as tools:
        (problem,) = tools.problems
        assert ("stopped" if stops else "in time") in problem.message
    assert time.monotonic() - began < 30  # the bound is far off: a server has 30 s to start
    assert [pid for pid in place.pids() if is_running(pid)] == []


def test_a_program_that_is_not_there_is_a_problem(place: Place) -> None:
    section = {"mcp": {"gone": {"command": "no-such-program-anywhere"}}}
    with open_toolset(section, place.workspace, environ={}, entry_points=False) as tools:
        assert [(problem.plugin, problem.help) for problem in tools.problems] == [
            ("gone", "look at its command: no-such-program-anywhere")
        ]


def test_a_server_gets_the_listed_variables_and_those_it_was_promised(place: Place) -> None:
    environ = {
        "PATH": os.environ["PATH"], "SOME_TOKEN": "token-of-the-server", "OPENAI_API_KEY": "held-by-dcc-1234",
        "COPY": "see held-by-dcc-1234", "OTHER": "x",
    }  # fmt: skip
    servers = {
        "every": {
            "command": sys.executable, "args": [SERVER, str(place.starts)],
            "env": ["SOME_TOKEN", "OPENAI_API_KEY", "COPY"],
        }
    }  # fmt: skip
    tools = open_toolset(
        {"mcp": servers}, place.workspace, environ=environ, secrets=["held-by-dcc-1234"], entry_points=False
    )
    with tools:
        names = str(tools.run("environment", {}, place.context).content).split(",")
    assert "SOME_TOKEN" in names
    assert not {"OPENAI_API_KEY", "COPY", "OTHER"} & set(names)
