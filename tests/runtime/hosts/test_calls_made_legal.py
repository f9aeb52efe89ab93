"""Calls of foreign sessions that lack something (runtime spec, section 4.4). Columns: openclaw 2026.2.23, dcc, and why.

The seed says nothing of them. openclaw leaves such a call out, with its result; in dcc nothing of a session vanishes
without a cause, so what a provider would refuse is written as it takes it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from legality import check_anthropic, check_openai

from dcc.compiler.load import load_program
from dcc.runtime.hosts.pi_session import read_pi_session
from dcc.runtime.replay.run import session_of

EVERYTHING = load_program({
    "name": "x",
    "life_cycle": {element: ["born", None] for element in ("user", "assistant", "toolCall", "toolResult")},
})  # fmt: skip
LEGAL = "made legal on the wire: the call and its result stay"

VECTORS: list[tuple[dict[str, Any], str | None, str | None, str]] = [
    # the call, the name that openclaw sends (None: left out), the one that dcc sends, why they differ
    ({"id": "c1", "name": "read", "arguments": {}}, "read", "read", ""),
    ({"id": "c1", "name": "read"}, None, "read", LEGAL),
    ({"id": "c1", "name": "read", "arguments": None}, None, "read", LEGAL),
    ({"id": "", "name": "read", "arguments": {}}, None, "read", LEGAL),
    ({"name": "read", "arguments": {}}, None, "read", LEGAL),
    ({"id": "c1", "name": "read file", "arguments": {}}, None, "read_file", LEGAL),
    ({"id": "c1", "name": "r" * 70, "arguments": {}}, None, "r" * 64, LEGAL),
    ({"id": "c1", "name": "", "arguments": {}}, None, "tool", LEGAL),
    ({"id": "c1", "arguments": {}}, None, None, ""),
]


@pytest.mark.parametrize(("call", "openclaw", "dcc", "why"), VECTORS)
def test_a_call_that_lacks_something(
    call: dict[str, Any], openclaw: str | None, dcc: str | None, why: str, tmp_path: Path
) -> None:
    id = call.get("id", "")
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
    assert sent == ([] if dcc is None else [dcc])
    assert [message["content"] for message in messages if message["role"] == "tool"] == ["found"] * len(sent)
    assert bool(why) == (openclaw != dcc)


def _message(**fields: Any) -> dict[str, Any]:
    return {"type": "message", "message": fields}
