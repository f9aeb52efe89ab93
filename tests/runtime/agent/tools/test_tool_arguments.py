"""Arguments that no tool can be given: every tool, dcc's own and the session's, says what is wrong with them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from agents import PROTOCOLS, rules, run
from legality import check_anthropic, check_openai
from loopback.behaviour import Says
from loopback.server import Loopback

from dcc.compiler.load import load_program
from dcc.runtime.agent.tools.registry import open_toolset
from dcc.runtime.agent.tools.tool import ToolContext
from dcc.runtime.agent.tools.workspace import Workspace
from dcc.runtime.session import Reply, Session, ToolCall

CASES = yaml.safe_load((Path(__file__).parents[3] / "conformance" / "tool_arguments.yaml").read_text("utf-8"))
SERVED = ("dc_recall", "artifact_get", "context_update", "canon")


def given(case: dict[str, Any]) -> str:
    """The text of the arguments."""
    text = case["given"]
    if isinstance(text, dict):
        text = text["open"] * text["repeat"] + text["inner"] + text["close"] * text["repeat"]
    return case.get("within", "%s").replace("%s", text)


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["given"])[:30])
def test_a_tool_of_the_agent_says_it(case: dict[str, Any], tmp_path: Path) -> None:
    with Workspace(tmp_path) as workspace, open_toolset(None, workspace, entry_points=False) as tools:
        output = tools.run("read", given(case), ToolContext(workspace))
    assert output.is_error
    assert isinstance(output.content, str)
    assert output.content.startswith("the arguments of read ")
    assert case["told"] in output.content
    assert case["mend"] in output.content


@pytest.mark.parametrize("tool", SERVED)
@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["given"])[:30])
def test_a_tool_that_the_session_serves_says_it(case: dict[str, Any], tool: str, tmp_path: Path) -> None:
    program = load_program({"extends": ["standard"], "governance": {"ops": "cpat"}, "canon": {}})
    session = Session.create(program, folder=str(tmp_path))
    session.begin("go")
    session.request()
    session.add_reply(Reply("", calls=(ToolCall("c1", tool, given(case)),)))
    served = session.serve("c1")
    assert served is not None
    assert served.is_error
    assert case["told"] in str(served.content)
    assert case["mend"] in str(served.content)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_run_goes_on_after_them(protocol: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    texts = [given(case) for case in CASES]
    asks = Says(calls=tuple((f"c{n}", "read", (text,)) for n, text in enumerate(texts)))
    with Loopback(asks, Says(("I send them again",))) as server:
        result = run(rules(server, protocol), "go", tmp_path)
    assert result.answer == "I send them again"
    body = server.seen[1].body
    openai = protocol == "openai"
    assert (check_openai(body["messages"]) if openai else check_anthropic(body["system"], body["messages"])) == []
    for case in CASES:
        assert case["mend"] in server.seen[1].raw.decode()
