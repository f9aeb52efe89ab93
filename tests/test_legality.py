"""The judge itself: it finds nothing in a legal request, and each planted violation."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest
from legality import check_anthropic, check_openai, check_pi

Messages = list[dict[str, Any]]


def openai() -> Messages:
    def call(id: str) -> dict[str, Any]:
        return {"id": id, "type": "function", "function": {"name": "read", "arguments": '{"path":"a"}'}}

    return [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": [{"type": "text", "text": "look"}]},
        {"role": "assistant", "content": None, "tool_calls": [call("a"), call("b")]},
        {"role": "tool", "tool_call_id": "a", "content": "one"},
        {"role": "tool", "tool_call_id": "b", "content": "two"},
        {"role": "assistant", "content": "done"},
        {"role": "user", "content": "thanks"},
    ]


def anthropic() -> Messages:
    return [
        {"role": "user", "content": [{"type": "text", "text": "look"}]},
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "hm", "signature": "c2ln"},
                {"type": "tool_use", "id": "a", "name": "read", "input": {}},
                {"type": "tool_use", "id": "b", "name": "read", "input": {}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "a", "content": [{"type": "text", "text": "one"}]},
                {"type": "tool_result", "tool_use_id": "b", "content": "two"},
                {"type": "text", "text": "go on"},
            ],
        },
        {"role": "assistant", "content": [{"type": "text", "text": "done"}]},
    ]


def pi() -> Messages:
    def call(id: str) -> dict[str, Any]:
        return {"type": "toolCall", "id": id, "name": "read", "arguments": {}}

    def result(id: str) -> dict[str, Any]:
        content = [{"type": "text", "text": "one"}]
        message = {"role": "toolResult", "toolCallId": id, "toolName": "read", "content": content}
        return message | {"isError": False}

    return [
        {"role": "user", "content": [{"type": "text", "text": "look"}]},
        {"role": "assistant", "content": [{"type": "text", "text": ""}, call("a"), call("b")]},
        result("a"),
        result("b"),
        {"role": "assistant", "content": [{"type": "text", "text": "done"}]},
    ]


def test_legal_requests_have_no_violations() -> None:
    assert check_openai(openai()) == []
    assert check_anthropic([{"type": "text", "text": "Be brief."}], anthropic()) == []
    assert check_pi(pi()) == []


Plant = Callable[[Messages], object]

OPENAI: dict[str, Plant] = {
    "answers no call": lambda m: m.insert(1, {"role": "tool", "tool_call_id": "x", "content": ""}),
    "is not answered": lambda m: m.pop(4),
    "not answered right behind": lambda m: m.insert(3, {"role": "user", "content": "wait"}),
    "answered twice": lambda m: m.insert(4, m[3]),
    "not unique": lambda m: m.extend(copy.deepcopy(m[2:5])),
    "1 to 40 characters": lambda m: m[2]["tool_calls"][0].update(id="x" * 41),
    "tool name": lambda m: m[2]["tool_calls"][0]["function"].update(name="read file"),
    "no JSON object": lambda m: m[2]["tool_calls"][0]["function"].update(arguments="{"),
    "neither content nor": lambda m: m[5].update(content=None),
    "tool_calls is empty": lambda m: m[5].update(tool_calls=[]),
    "assistant content is no string": lambda m: m[5].update(content=[]),
    "tool content is no string": lambda m: m[3].update(content=[]),
    "empty list of parts": lambda m: m[1].update(content=[]),
    "empty text part": lambda m: m[1].update(content=[{"type": "text", "text": ""}]),
    "in a user message": lambda m: m[1].update(content=[{"type": "image"}]),
    "neither data nor https": lambda m: m[1].update(
        content=[{"type": "image_url", "image_url": {"url": "a.png"}}]
    ),
    "unknown role": lambda m: m[1].update(role="goal"),
    "JSON in UTF-8": lambda m: m[1].update(content="\ud800"),
    "needs a message": lambda m: m.clear(),
}

ANTHROPIC: dict[str, Plant] = {
    "first message is not": lambda m: m.pop(0),
    "follow each other": lambda m: m.insert(1, copy.deepcopy(m[0])),
    "answers no call": lambda m: m[0]["content"].insert(0, m[2]["content"][0]),
    "is not answered": lambda m: m[2]["content"].pop(0),
    "answered twice": lambda m: m[2]["content"].insert(0, m[2]["content"][0]),
    "behind another block": lambda m: m[2]["content"].reverse(),
    "not unique": lambda m: m[1]["content"].append(m[1]["content"][1]),
    "tool_use id": lambda m: m[1]["content"][1].update(id="a.b"),
    "tool name": lambda m: m[1]["content"][1].update(name=""),
    "no object": lambda m: m[1]["content"][1].update(input="{}"),
    "thinking is the last": lambda m: m[3]["content"].append(m[1]["content"][0]),
    "without a signature": lambda m: m[1]["content"][0].update(signature=""),
    "blank text": lambda m: m[3]["content"][0].update(text=" \n"),
    "an empty one": lambda m: m[3].update(content=[]),
    "unknown role": lambda m: m[0].update(role="system"),
    "image of type": lambda m: m[0]["content"].append(
        {"type": "image", "source": {"type": "base64", "media_type": "image/bmp", "data": "x"}}
    ),
    "error result without content": lambda m: m[2]["content"][0].update(content=[], is_error=True),
    "in a tool_result": lambda m: m[2]["content"][0].update(content=[{"type": "tool_use"}]),
    "not answered right behind": lambda m: m[3]["content"].append(
        {"type": "tool_use", "id": "z", "name": "read", "input": {}}
    ),
}

PI: dict[str, Plant] = {
    "answers no call": lambda m: m.append(m[2]),
    "is not answered": lambda m: m.pop(3),
    "not answered right behind": lambda m: m.insert(2, {"role": "user", "content": "wait"}),
    "answered twice": lambda m: m.insert(3, m[2]),
    "not unique": lambda m: m.extend(copy.deepcopy(m[1:4])),
    "without an id": lambda m: m[1]["content"][1].update(id=""),
    "isError": lambda m: m[2].pop("isError"),
    "toolName": lambda m: m[2].pop("toolName"),
    "unknown role": lambda m: m[0].update(role="tool"),
    "an empty one": lambda m: m[4].update(content=[]),
    "in a user message": lambda m: m[0]["content"].append({"type": "thinking", "thinking": ""}),
    "with fields": lambda m: m[1]["content"][1].update(arguments="{}"),
}


@pytest.mark.parametrize("violation", OPENAI)
def test_planted_in_openai(violation: str) -> None:
    messages = openai()
    OPENAI[violation](messages)
    assert any(violation in found for found in check_openai(messages))


@pytest.mark.parametrize("violation", ANTHROPIC)
def test_planted_in_anthropic(violation: str) -> None:
    messages = anthropic()
    ANTHROPIC[violation](messages)
    assert any(violation in found for found in check_anthropic([], messages))


def test_blank_top_field() -> None:
    assert check_anthropic([{"type": "text", "text": " "}], anthropic()) == [
        "the top field holds what is no text"
    ]


@pytest.mark.parametrize("violation", PI)
def test_planted_in_pi(violation: str) -> None:
    messages = pi()
    PI[violation](messages)
    assert any(violation in found for found in check_pi(messages))
