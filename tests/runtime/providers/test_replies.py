"""What comes back from a provider: text, thinking, tool calls, usage; streamed and whole, in both protocols."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from loopback import anthropic_wire, openai_wire
from loopback.behaviour import Says, Sends, Streams
from loopback.client import PROTOCOLS, READ, asks, exchanged, provider
from loopback.server import Loopback

from dcc.runtime.kernel.content import Opaque, Thought, thought_of
from dcc.runtime.providers.protocol import ModelReply
from dcc.runtime.values import Reply, ToolCall, Usage

pytestmark = pytest.mark.parametrize("protocol", PROTOCOLS)

USAGE = {
    "openai": {
        "prompt_tokens": 120, "completion_tokens": 7, "total_tokens": 127,
        "prompt_tokens_details": {"cached_tokens": 100},
    },
    "anthropic": {
        "input_tokens": 15, "output_tokens": 7, "cache_read_input_tokens": 100, "cache_creation_input_tokens": 5,
    },
}  # fmt: skip
CALLS = (
    ("c1", "read", ('{"path"', ': "a', '.py"}')),
    ("c2", "read", ("", '{"path": "é"}')),
    ("c3", "list", ()),
)


@pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])
def test_a_text_comes_back_with_its_usage(protocol: str, stream: bool) -> None:
    reply, _ = exchanged(protocol, Says(("Hel", "lo, ", "世界"), usage=USAGE[protocol]), stream=stream)
    usage = Usage(20, 7, 100, 0) if protocol == "openai" else Usage(15, 7, 100, 5)
    assert usage.prompt == 120
    assert reply == ModelReply(Reply("Hello, 世界", usage=usage), "stop", usage, "small-1", reply.raw_id)


def test_pieces_are_handed_on_as_they_come(protocol: str) -> None:
    said: list[str] = []
    thought: list[str] = []
    with Loopback(Says(("a", "b "), thinking=("x ", "y"), signature="c2ln")) as server:
        provider(protocol, server.url).complete(asks(), on_text=said.append, on_thinking=thought.append)
    assert (said, thought) == (["a", "b "], ["x ", "y"])


@pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])
def test_tool_calls_come_in_fragments_and_are_whole(protocol: str, stream: bool) -> None:
    reply, _ = exchanged(protocol, Says(("I look.",), calls=CALLS), tools=(READ,), stream=stream)
    assert reply.stop_reason == "tool_calls"
    assert reply.reply.text == "I look."
    names = [(call.id, call.name, json.loads(call.arguments)) for call in reply.reply.calls]
    assert names == [("c1", "read", {"path": "a.py"}), ("c2", "read", {"path": "é"}), ("c3", "list", {})]


def test_the_arguments_of_a_streamed_call_are_kept_byte_for_byte(protocol: str) -> None:
    reply, _ = exchanged(protocol, Says(calls=CALLS))
    assert reply.reply.calls[0] == ToolCall("c1", "read", '{"path": "a.py"}')


@pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])
def test_thinking_is_kept_with_its_signature(protocol: str, stream: bool) -> None:
    reply, _ = exchanged(protocol, Says(("so",), thinking=("hm", "m"), signature="c2ln"), stream=stream)
    thinking = reply.reply.thinking
    if protocol == "openai":
        assert thinking == "hmm"
    else:
        assert isinstance(thinking, tuple)
        assert [thought_of(part) for part in thinking] == [Thought("hmm", "c2ln")]


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ({"openai": "length", "anthropic": "max_tokens"}, "length"),
        ({"openai": "content_filter", "anthropic": "refusal"}, "refused"),
        ({"openai": "stop", "anthropic": "stop_sequence"}, "stop"),
        ({"openai": "length", "anthropic": "model_context_window_exceeded"}, "length"),
    ],
)
def test_why_a_reply_ended(protocol: str, said: dict[str, str], reason: str) -> None:
    assert exchanged(protocol, Says(("a",), stop=said[protocol]))[0].stop_reason == reason


def test_no_usage_is_no_usage(protocol: str) -> None:
    assert exchanged(protocol, Says(("a",)))[0].usage is None


def test_a_huge_answer_arrives_whole(protocol: str) -> None:
    piece = "0123456789abcdef" * 4096
    reply, _ = exchanged(protocol, Says((piece,) * 64))
    assert reply.reply.text == piece * 64


@pytest.mark.parametrize("size", [1, 7])
def test_a_stream_may_come_in_pieces_of_any_size(protocol: str, size: int) -> None:
    wire = openai_wire if protocol == "openai" else anthropic_wire
    body = b"".join(wire.events(Says(("你", "好"), calls=CALLS[:1])))
    reply, _ = exchanged(protocol, Streams(body.replace(b"\n", b"\r\n"), size))
    assert (reply.reply.text, len(reply.reply.calls)) == ("你好", 1)


def test_an_id_and_a_model_are_kept(protocol: str) -> None:
    reply, _ = exchanged(protocol, Says(("a",)))
    assert (reply.model, reply.raw_id) == ("small-1", "chatcmpl-1" if protocol == "openai" else "msg_1")


def test_a_tool_comes_back_under_its_own_name(protocol: str) -> None:
    dotted = replace(READ, name="fs.read")
    reply, server = exchanged(protocol, Says(calls=(("c1", "fs_read", ("{}",)),)), tools=(dotted,))
    assert reply.reply.calls == (ToolCall("c1", "fs.read", "{}"),)
    assert b'"fs_read"' in server.seen[0].raw


def test_redacted_thinking_is_kept_as_it_came(protocol: str) -> None:
    if protocol == "openai":
        body = b'{"choices": [{"message": {"content": "a", "reasoning": "r"}, "finish_reason": "stop"}]}'
        assert exchanged(protocol, Sends(body))[0].reply.thinking == "r"
        return
    block = {"type": "redacted_thinking", "data": "RW1w"}
    body = json.dumps({"content": [block, {"type": "text", "text": "a"}], "stop_reason": "end_turn"}).encode()
    thinking = exchanged(protocol, Sends(body))[0].reply.thinking
    assert thinking == (Opaque('{"type":"redacted_thinking","data":"RW1w"}'),)
