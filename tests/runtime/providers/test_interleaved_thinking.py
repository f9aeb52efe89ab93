"""Thinking between tool calls goes back to Anthropic where it stood, byte for byte: its signature says so."""

from __future__ import annotations

import json
from typing import Any

import pytest
from legality import check_anthropic, check_openai, check_pi
from loopback.behaviour import Sends, Streams
from loopback.client import READ, exchanged

from dcc.compiler.load import load_program
from dcc.runtime.answer.reading import read_reply
from dcc.runtime.kernel.content import signed_thought
from dcc.runtime.session import Reply, Session, SessionError, ToolCall
from dcc.runtime.store.memory import MemoryStore

BLOCKS: list[dict[str, Any]] = [
    {"type": "thinking", "thinking": "first, a", "signature": "c2ln"},
    {"type": "text", "text": "I look."},
    {"type": "tool_use", "id": "c1", "name": "read", "input": {"path": "a.py"}},
    {"type": "thinking", "thinking": "then b", "signature": "c2lnMg=="},
    {"type": "redacted_thinking", "data": "AAAA"},
    {"type": "tool_use", "id": "c2", "name": "read", "input": {"path": "b.py"}},
]
PROGRAM = load_program("standard")


def whole(blocks: list[dict[str, Any]]) -> Sends:
    usage = {"input_tokens": 1, "output_tokens": 1}
    message = {"id": "m", "type": "message", "role": "assistant", "model": "small", "content": blocks}
    return Sends(json.dumps(message | {"stop_reason": "tool_use", "usage": usage}).encode())


def streamed(blocks: list[dict[str, Any]]) -> Streams:
    events: list[dict[str, Any]] = [{"type": "message_start", "message": {"id": "m", "model": "small", "usage": {}}}]
    for index, block in enumerate(blocks):
        begun = {key: "" if key in ("text", "thinking", "signature") else value for key, value in block.items()}
        deltas = [
            {"type": f"{key}_delta", key: block[key]} for key in ("text", "thinking", "signature") if key in block
        ]  # fmt: skip
        if "input" in block:
            begun["input"] = {}
            deltas = [{"type": "input_json_delta", "partial_json": json.dumps(block["input"])}]
        events.append({"type": "content_block_start", "index": index, "content_block": begun})
        events += [{"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas]
        events.append({"type": "content_block_stop", "index": index})
    events.append({"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 1}})
    events.append({"type": "message_stop"})
    return Streams(b"".join(f"event: {e['type']}\ndata: {json.dumps(e)}\n\n".encode() for e in events))


def came(blocks: list[dict[str, Any]], stream: bool) -> Reply:
    behaviour = streamed(blocks) if stream else whole(blocks)
    return read_reply(exchanged("anthropic", behaviour, tools=(READ,), stream=stream)[0].reply, "normal")


def answered(reply: Reply, store: MemoryStore | None = None) -> Session:
    """A session in which all tools of the reply have been answered."""
    session = Session.create(PROGRAM, store=store)
    session.begin("look it up")
    session.request("anthropic")
    session.add_reply(reply)
    for call in reply.calls:
        session.start_tool(call.id)
        session.add_result(call.id, f"text of {call.id}")
    return session


@pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])
def test_the_order_is_kept_within_the_turn_and_over_a_restart(stream: bool) -> None:
    store = MemoryStore()
    session = answered(came(BLOCKS, stream), store)
    for known in (session, Session.open(store, PROGRAM)):
        request = known.request("anthropic")
        (said,) = [message for message in request.messages if message["role"] == "assistant"]
        assert said["content"] == BLOCKS
        assert check_anthropic(request.system, request.messages) == []


def test_other_formats_take_it_too() -> None:
    session = answered(came(BLOCKS, False))
    openai = session.request("openai")
    assert check_openai(openai.messages) == []
    assert [slot.slot for slot in openai.visible if slot.element == "think"] == ["think@1", "think@1.2"]
    (said,) = [message for message in openai.messages if message["role"] == "assistant"]
    assert (said["content"], len(said["tool_calls"])) == ("I look.", 2)
    assert check_pi(session.request("pi").messages) == []


def test_a_reply_in_the_usual_order_says_nothing_of_it() -> None:
    usual = [BLOCKS[0], BLOCKS[4], BLOCKS[1], BLOCKS[2], BLOCKS[5]]
    assert came(usual, False).pieces == ()


def test_what_is_read_of_the_text_stands_where_the_text_stood() -> None:
    blocks = [dict(block) for block in BLOCKS]
    blocks[1]["text"] = "I look. <pin>b matters</pin>"
    blocks.insert(3, {"type": "text", "text": " And on."})
    reply = came(blocks, False)
    assert (reply.text, reply.pins) == ("I look.  And on.", ("b matters",))
    assert [kind for kind, _ in reply.pieces] == ["think", "text", "call", "think", "call"]
    assert reply.pieces[1] == ("text", "I look.  And on.")


@pytest.mark.parametrize("calls", [(), (0, 0), (1, 0), (0, 1, 2)])
def test_pieces_name_every_call_once(calls: tuple[int, ...]) -> None:
    session = Session.create(PROGRAM)
    session.begin("look it up")
    session.request("anthropic")
    thought = signed_thought("hm", "c2ln")
    reply = Reply(
        thinking=(thought,), calls=(ToolCall("c1", "read", {}), ToolCall("c2", "read", {})),
        pieces=(*(("call", index) for index in calls), ("think", (thought,))),
    )  # fmt: skip
    with pytest.raises(SessionError) as error:
        session.add_reply(reply)
    assert error.value.code == "bad_call"
