"""Ways of servers that speak OpenAI's protocol in their own accent."""

from __future__ import annotations

import json
from typing import Any

import pytest
from loopback.behaviour import Sends, Streams
from loopback.client import exchanged

from dcc.runtime.values import Reply, ToolCall, Usage


def streamed(*deltas: dict[str, Any], finish: str | None = "stop") -> Reply:
    """The reply to a stream of these deltas."""
    chunks = [{"choices": [{"delta": delta}]} for delta in deltas]
    chunks.append({"choices": [{"delta": {}, "finish_reason": finish}]})
    body = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks)
    return exchanged("openai", Streams(body.encode()))[0].reply


def fragment(arguments: object, **fields: Any) -> dict[str, Any]:
    name = {"name": fields.pop("name")} if "name" in fields else {}
    return {"tool_calls": [{**fields, "function": {**name, "arguments": arguments}}]}


@pytest.mark.parametrize(
    "deltas",
    [
        (
            fragment('{"a', index=0, id="c1", name="f"),
            fragment('":1}', index=0),
            fragment("{}", index=1, id="c2", name="g"),
        ),
        (fragment('{"a', id="c1", name="f"), fragment('":1}'), fragment("{}", id="c2", name="g")),
        (fragment('{"a":1}', index=0, id="c1", name="f"), fragment("{}", index=0, id="c2", name="g")),
        (fragment({"a": 1}, index=0, id="c1", name="f"), fragment({}, index=1, id="c2", name="g")),
        (fragment('{"a":1}', index=0, id="c1", name="f"), fragment(None, index=1, id="c2", name="g")),
    ],
    ids=["by index", "no index", "one index for all", "arguments as an object", "no arguments"],
)
def test_tool_calls(deltas: tuple[dict[str, Any], ...]) -> None:
    assert streamed(*deltas).calls == (ToolCall("c1", "f", '{"a":1}'), ToolCall("c2", "g", "{}"))


def test_a_tool_call_without_an_id_gets_one() -> None:
    assert streamed(fragment("{}", index=0, name="f")).calls == (ToolCall("call_1", "f", "{}"),)


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_thinking(field: str) -> None:
    assert streamed({field: "h"}, {field: "m"}, {"content": "a"}) == Reply("a", "hm")


def test_a_refusal_is_said() -> None:
    reply, _ = exchanged(
        "openai", Streams(b'data: {"choices":[{"delta":{"refusal":"I may not."},"finish_reason":"stop"}]}\n\n')
    )
    assert (reply.stop_reason, reply.reply.text) == ("refused", "I may not.")


def test_comments_keepalives_and_an_end_without_done() -> None:
    body = (
        b": connected\n\ndata: {\"choices\":[]}\n\n: still here\n\n"
        b'data: {"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}],"usage":null}\n\n'
        b'data: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":1}}\n\n'
    )
    reply, _ = exchanged("openai", Streams(body))
    assert (reply.reply.text, reply.usage) == ("a", Usage(3, 1))


@pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])
def test_a_content_in_parts_is_read(stream: bool) -> None:
    """Thinking models of Mistral send parts of text and of thinking."""
    parts = [
        {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}, {"type": "reference", "ids": [1]}]},
        {"type": "thinking", "thinking": "m"}, {"type": "text", "text": "so"}, {"type": "image", "url": "x"}, "?",
    ]  # fmt: skip
    name = "delta" if stream else "message"
    document = json.dumps({"choices": [{name: {"content": parts}, "finish_reason": "stop"}]}).encode()
    script = Streams(b"data: " + document + b"\n\ndata: [DONE]\n\n") if stream else Sends(document)
    reply = exchanged("openai", script, stream=stream)[0].reply
    assert (reply.text, reply.thinking) == ("so", "hmm")
