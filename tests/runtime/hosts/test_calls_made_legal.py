"""Calls that lack something (runtime spec, section 4.4). Columns: openclaw 2026.2.23, dcc, and why.

The seed says nothing of them. openclaw leaves such a call out, with its result; in dcc nothing of a session vanishes
without a cause, so what a provider would refuse is written as it takes it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

import pytest
from legality import check_anthropic, check_openai

from dcc.compiler.load import load_program
from dcc.runtime.hosts.pi_session import read_pi_session
from dcc.runtime.replay.run import session_of
from dcc.runtime.session import Reply, Session, SessionError, ToolCall

EVERYTHING = load_program({
    "name": "x",
    "life_cycle": {element: ["born", None] for element in ("user", "assistant", "toolCall", "toolResult")},
})  # fmt: skip
LEGAL = "made legal on the wire: the call and its result stay"

VECTORS: list[tuple[dict[str, Any], str | None, str, str]] = [
    # the call, the name that openclaw sends (None: left out), the one that dcc sends, why they differ
    ({"id": "c1", "name": "read", "arguments": {}}, "read", "read", ""),
    ({"type": "toolUse", "id": "c1", "name": "read", "input": {}}, "read", "read", ""),
    ({"type": "functionCall", "id": "c1", "name": "read", "arguments": {}}, "read", "read", ""),
    ({"id": "c1", "name": "r" * 64, "arguments": {}}, "r" * 64, "r" * 64, ""),
    ({"id": "c1", "name": "read", "arguments": [1]}, "read", "read", ""),
    ({"id": "c1", "name": "read", "input": None}, None, "read", LEGAL),
    ({"id": "  ", "name": "read", "arguments": {}}, None, "read", LEGAL),
    ({"id": None, "name": "read", "arguments": {}}, None, "read", LEGAL),
    ({"id": "c1", "name": " read ", "arguments": {}}, None, "read", LEGAL),
    ({"id": "c1", "name": "读取", "arguments": {}}, None, "__", LEGAL),
    ({"id": "c1", "name": "  ", "arguments": {}}, None, "tool", LEGAL),
    ({"id": "c1", "name": None, "arguments": {}}, None, "tool", LEGAL),
    ({"id": "c1", "name": "read"}, None, "read", LEGAL),
    ({"id": "c1", "name": "read", "arguments": None}, None, "read", LEGAL),
    ({"id": "", "name": "read", "arguments": {}}, None, "read", LEGAL),
    ({"name": "read", "arguments": {}}, None, "read", LEGAL),
    ({"id": "c1", "name": "read file", "arguments": {}}, None, "read_file", LEGAL),
    ({"id": "c1", "name": "r" * 70, "arguments": {}}, None, "r" * 64, LEGAL),
    ({"id": "c1", "name": "", "arguments": {}}, None, "tool", LEGAL),
    ({"id": "c1", "arguments": {}}, None, "tool", LEGAL),
]


@pytest.mark.parametrize(("call", "openclaw", "dcc", "why"), VECTORS)
def test_a_call_that_lacks_something(
    call: dict[str, Any], openclaw: str | None, dcc: str, why: str, tmp_path: Path
) -> None:
    id = call.get("id")
    said = [{"type": "text", "text": "found"}]
    records = [
        {"type": "session", "version": 1, "cwd": "/w"},
        _message(role="user", content="go"),
        _message(role="assistant", content=[{"type": "toolCall", **call}], stopReason="toolUse"),
        _message(role="toolResult", toolCallId=id, toolName=call.get("name", ""), content=said),
        _message(role="assistant", content=[{"type": "text", "text": "done"}], stopReason="stop"),
    ]
    file = tmp_path / "session.jsonl"
    file.write_text("\n".join(map(json.dumps, records)))
    session = session_of(read_pi_session(file), EVERYTHING)
    messages = session.messages()
    assert check_openai(messages) == []
    assert check_anthropic([], session.messages("anthropic")) == []
    sent = [call["function"]["name"] for message in messages for call in message.get("tool_calls") or ()]
    assert sent == [dcc]
    assert [message["content"] for message in messages if message["role"] == "tool"] == ["found"]
    assert bool(why) == (openclaw != dcc)


@pytest.mark.parametrize("named", ["toolCallId", "toolUseId"])
def test_a_result_names_its_call_by_either_word(named: str, tmp_path: Path) -> None:
    records = [
        _message(role="user", content="go"),
        _message(role="assistant", content=[{"type": "toolCall", "id": "c1", "name": "read", "arguments": {}}]),
        _message(role="toolResult", **{named: "c1"}, content="found"),
    ]
    file = tmp_path / "session.jsonl"
    file.write_text("\n".join(map(json.dumps, records)))
    session = session_of(read_pi_session(file), EVERYTHING)
    assert [m["content"] for m in session.messages() if m["role"] == "tool"] == ["found"]


@pytest.mark.parametrize(
    ("call", "name", "arguments"),
    [
        (ToolCall("c1", "read", {}), "read", {}),
        (ToolCall("c1", "read", None), "read", {}),
        (ToolCall("c1", "read", "null"), "read", {}),
        (ToolCall("c1", "read", " "), "read", {}),
        (ToolCall("c1", "read", "[1]"), "read", {"_raw": "[1]"}),
        (ToolCall("", "read", {}), "read", {}),
        (ToolCall(" ", "read", {}), "read", {}),
        (ToolCall("c1", "", {}), "tool", {}),
        (ToolCall("c1", "read file", {}), "read_file", {}),
        (ToolCall("c1", "r" * 70, {}), "r" * 64, {}),
    ],
)
def test_a_call_that_a_host_gives(call: ToolCall, name: str, arguments: dict[str, Any]) -> None:
    session = Session.create(EVERYTHING)
    session.begin("go")
    session.request()
    session.add_reply(Reply(calls=(call,)))
    session.add_result(call.id, "found")
    session.request()
    session.add_reply(Reply("done"))
    session.commit()
    messages = session.messages()
    assert check_openai(messages) == []
    assert check_anthropic([], session.messages("anthropic")) == []
    (sent,) = [call["function"] for message in messages for call in message.get("tool_calls") or ()]
    assert (sent["name"], json.loads(sent["arguments"])) == (name, arguments)


@pytest.mark.parametrize("call", [ToolCall("c1", cast(Any, None), {}), ToolCall(cast(Any, None), "read", {})])
def test_a_host_that_gives_no_text_is_told_so(call: ToolCall) -> None:
    session = Session.create(EVERYTHING)
    session.begin("go")
    session.request()
    with pytest.raises(SessionError, match="is None, expected text"):
        session.add_reply(Reply(calls=(call,)))


def _message(**fields: Any) -> dict[str, Any]:
    return {"type": "message", "message": fields}
