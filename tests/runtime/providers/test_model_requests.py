"""What goes out to a provider: exactly what the session rendered, tools, cache marks, settings."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from loopback.behaviour import Says
from loopback.client import PROTOCOLS, READ, asks, provider
from loopback.server import Loopback

from dcc.compiler.load import load_program
from dcc.runtime.providers.anthropic import Anthropic
from dcc.runtime.providers.choose import Choice
from dcc.runtime.providers.errors import ProviderError
from dcc.runtime.providers.openai import OpenAI
from dcc.runtime.providers.protocol import BUDGETS, LONGEST_ANSWER, ModelRequest, Tool
from dcc.runtime.session import Session
from dcc.runtime.values import Request

TAIL = {"role": "user", "content": "[notice]\nhalf of the window is used"}


def compact(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def unmarked(value: Any) -> Any:
    """A body without its cache marks."""
    if isinstance(value, dict):
        return {key: unmarked(item) for key, item in value.items() if key != "cache_control"}
    return [unmarked(item) for item in value] if isinstance(value, list) else value


def marked(value: Any) -> list[Any]:
    """The blocks with a cache mark, in order."""
    if isinstance(value, dict):
        own = [value] if "cache_control" in value else []
        return own + [block for item in value.values() for block in marked(item)]
    return [block for item in value for block in marked(item)] if isinstance(value, list) else []


def tool_loop(protocol: str, server: Loopback, **settings: Any) -> list[Request]:
    """A turn of two calls with a tool, carried out over the wire; the requests as they were rendered."""
    settings = {"tools": (READ,), **settings}
    door = provider(protocol, server.url)
    rendered: list[Request] = []
    with Session.create(load_program("standard"), system="You are brief. é\u2028") as session:
        session.begin('what is in "a.py"?\n翻译 /goal be brief remain 2')
        for _ in range(2):
            request = session.request(door.format)
            rendered.append(copy.deepcopy(request))
            asked = ModelRequest("small", request.messages, request.system, **settings)
            reply = door.complete(asked).reply
            session.add_reply(reply)
            for call in reply.calls:
                session.add_result(call.id, "x = 'é'\r\n\0")
        assert session.request(door.format).messages[: len(rendered[1].messages)] == rendered[1].messages
        session.commit()
    return rendered


SCRIPT = (
    Says(("I look.",), thinking=("hm",), signature="c2ln", calls=(("c1", "read", ('{"path":', '"a.py"}')),)),
    Says(("x is é.",)),
)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_messages_go_out_byte_for_byte(protocol: str) -> None:
    with Loopback(*SCRIPT) as server:
        rendered = tool_loop(protocol, server, cache="none")
    for seen, request in zip(server.seen, rendered, strict=True):
        assert b'"messages":' + compact(request.messages) in seen.raw
        if protocol == "anthropic":
            assert b'"system":' + compact(request.system) in seen.raw


@pytest.mark.parametrize("cache", ["5m", "1h"])
def test_cache_marks_stand_on_the_top_field_and_on_the_last_block(cache: str) -> None:
    with Loopback(*SCRIPT) as server:
        rendered = tool_loop("anthropic", server, cache=cache, tail=(TAIL,))
    mark = {"type": "ephemeral"} if cache == "5m" else {"type": "ephemeral", "ttl": "1h"}
    for seen, request in zip(server.seen, rendered, strict=True):
        body = seen.body
        last = request.messages[-1]["content"][-1]
        assert marked(body) == [last | {"cache_control": mark}, request.system[-1] | {"cache_control": mark}]
        assert unmarked(body["system"]) == request.system
        # The tail is joined to the last message: two user messages in a row are one.
        tail = {"type": "text", "text": TAIL["content"]}
        stable = [*request.messages[:-1], {"role": "user", "content": [*request.messages[-1]["content"], tail]}]
        assert unmarked(body["messages"]) == stable


def test_a_thinking_block_takes_no_mark() -> None:
    thinking = {"type": "thinking", "thinking": "hm", "signature": "c2ln"}
    messages = [
        {"role": "user", "content": [{"type": "text", "text": "hi"}]},
        {"role": "assistant", "content": [thinking]},
    ]
    body = Anthropic().body(ModelRequest("small", messages))
    assert marked(body) == [{"type": "text", "text": "hi", "cache_control": {"type": "ephemeral"}}]
    assert marked(messages) == []


def test_nothing_to_mark_is_not_marked() -> None:
    body = Anthropic().body(ModelRequest("small", [], tail=({"role": "user", "content": "hi"},)))
    assert marked(body) == []
    assert body["messages"] == [{"role": "user", "content": [{"type": "text", "text": "hi"}]}]


def test_tools_in_both_shapes() -> None:
    schema = READ.parameters
    request = asks(tools=(READ,))
    function = {"name": "read", "description": "Read a file.", "parameters": schema}
    assert OpenAI().body(request)["tools"] == [{"type": "function", "function": function}]
    described = {"name": "read", "description": "Read a file.", "input_schema": schema}
    assert Anthropic().body(request)["tools"] == [described]


@pytest.mark.parametrize("dialect", [OpenAI(), Anthropic()], ids=PROTOCOLS)
def test_two_tools_may_not_be_one_on_the_wire(dialect: OpenAI | Anthropic) -> None:
    with pytest.raises(ProviderError, match=r"the tools a\.b and a/b are both a_b"):
        dialect.body(asks(tools=(Tool("a.b", "", {}), Tool("a/b", "", {}))))


@pytest.mark.parametrize(
    ("dialect", "fields", "written"),
    [
        (OpenAI(), {}, {"stream": True, "stream_options": {"include_usage": True}}),
        (OpenAI(), {"stream": False}, {}),
        (OpenAI(), {"stream": False, "max_tokens": 9}, {"max_tokens": 9}),
        (OpenAI(own_server=True), {"stream": False, "max_tokens": 9}, {"max_completion_tokens": 9}),
        (OpenAI(), {"stream": False, "think": "high"}, {"reasoning_effort": "high"}),
        (
            OpenAI(own_server=True),
            {"stream": False, "max_tokens": 9, "think": "low"},
            {"max_completion_tokens": 9 + BUDGETS["low"], "reasoning_effort": "low"},
        ),
        (OpenAI(), {"stream": False, "max_tokens": 9, "think": "none"}, {"max_tokens": 9, "reasoning_effort": "none"}),
        (OpenAI(), {"stream": False, "options": {"seed": 1, "messages": []}}, {"seed": 1}),
        (Anthropic(), {}, {"max_tokens": LONGEST_ANSWER, "stream": True}),
        (Anthropic(), {"stream": False, "max_tokens": 9}, {"max_tokens": 9}),
        (
            Anthropic(),
            {"stream": False, "max_tokens": 9, "think": "low"},
            {"max_tokens": 9 + BUDGETS["low"], "thinking": {"type": "enabled", "budget_tokens": BUDGETS["low"]}},
        ),
        (
            Anthropic(),
            {"stream": False, "think": "none"},
            {"max_tokens": LONGEST_ANSWER, "thinking": {"type": "disabled"}},
        ),
        (Anthropic(), {"stream": False, "options": {"max_tokens": 5, "messages": []}}, {"max_tokens": 5}),
    ],
)
def test_settings(dialect: OpenAI | Anthropic, fields: dict[str, Any], written: dict[str, Any]) -> None:
    request = asks(**fields)
    assert dialect.body(request) == {"model": "small", "messages": request.messages} | written


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_key_goes_out_in_its_header(protocol: str) -> None:
    with Loopback(Says(("ok",))) as server:
        provider(protocol, server.url, key="k-1").complete(asks())
    headers = server.seen[0].headers
    assert headers["content-type"] == "application/json"
    if protocol == "openai":
        assert headers["authorization"] == "Bearer k-1"
    else:
        assert (headers["x-api-key"], headers["anthropic-version"]) == ("k-1", "2023-06-01")


def test_what_json_cannot_hold_is_said() -> None:
    with pytest.raises(ProviderError, match="cannot be written as JSON"):
        provider("openai", "http://127.0.0.1:1").complete(asks(options={"temperature": float("nan")}))


def test_a_request_must_be_rendered_for_its_provider() -> None:
    choice = Choice(provider("anthropic", "http://127.0.0.1:1"), asks())
    with Session.create(load_program("standard")) as session:
        session.begin("hi")
        assert choice.request(session.request("anthropic"), tools=(READ,)).tools == (READ,)
        with pytest.raises(ValueError, match="a request for anthropic was rendered for openai"):
            choice.request(session.request("openai"))
