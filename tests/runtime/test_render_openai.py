"""Rendering for OpenAI chat completions."""

from __future__ import annotations

from typing import Any

import pytest
from legality import check_openai
from units import answer, called, lone, said, thought

from dcc.runtime.kernel.content import Image, Opaque, Text, signed_thought
from dcc.runtime.view.openai import assemble, messages_of
from dcc.runtime.view.unit import Unit

PICTURE = Image("image/png", "iVBORw0KGgo=")
PICTURE_PART = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}


def tool_call(id: str, arguments: str, name: str = "read") -> dict[str, Any]:
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


@pytest.mark.parametrize(
    ("unit", "messages"),
    [
        (lone("system", "system", "Be brief."), [{"role": "system", "content": "Be brief."}]),
        (lone("user", "user", "hello"), [{"role": "user", "content": "hello"}]),
        (
            lone("goal", "user", "翻译", labelled=True),
            [{"role": "user", "content": "[goal]\n翻译"}],
        ),
        (
            lone("recall", "system", (Text("a"), Text("b")), labelled=True),
            [{"role": "system", "content": "[recall]\na\nb"}],
        ),
        (
            lone("user", "user", (Text("see"), PICTURE, Text(""))),
            [{"role": "user", "content": [{"type": "text", "text": "see"}, PICTURE_PART]}],
        ),
        (
            lone("shot", "user", (PICTURE,), labelled=True),
            [{"role": "user", "content": [{"type": "text", "text": "[shot]"}, PICTURE_PART]}],
        ),
        (
            lone("user", "user", (Opaque('{"type":"file","file":{"file_id":"f1"}}'),)),
            [{"role": "user", "content": [{"type": "file", "file": {"file_id": "f1"}}]}],
        ),
        (
            lone("toolResult", "tool", "a result without its call"),
            [{"role": "user", "content": "[toolResult]\na result without its call"}],
        ),
        (lone("summary", "assistant", "so far"), [{"role": "assistant", "content": "so far"}]),
        (Unit((said("hi"),)), [{"role": "assistant", "content": "hi"}]),
        (Unit((said(""),)), [{"role": "assistant", "content": ""}]),
        (
            Unit((thought("hm"),)),
            [{"role": "assistant", "content": "", "reasoning_content": "hm"}],
        ),
        (
            Unit((thought((signed_thought("hm", "c2ln"), Text("so"))), said("hi"))),
            [{"role": "assistant", "content": "hi", "reasoning_content": "hm\nso"}],
        ),
        (
            Unit((thought((Opaque('{"type":"redacted_thinking","data":"x"}'),)), said("hi"))),
            [{"role": "assistant", "content": "hi"}],
        ),
    ],
)
def test_messages(unit: Unit, messages: list[dict[str, Any]]) -> None:
    assert messages_of(unit) == messages


def test_a_reply_and_its_results_in_call_order() -> None:
    unit = Unit(
        (thought("hm"), called("a", arguments='{ "path": "a.py" }'), called("b")),
        (answer("a", "one"), answer("b", "two", is_error=True)),
    )
    assert messages_of(unit) == [
        {
            "role": "assistant",
            "content": None,
            "reasoning_content": "hm",
            "tool_calls": [tool_call("a", '{ "path": "a.py" }'), tool_call("b", "{}")],
        },
        {"role": "tool", "tool_call_id": "a", "content": "one"},
        {"role": "tool", "tool_call_id": "b", "content": "two"},
    ]


def test_images_of_results_follow_in_a_user_message() -> None:
    unit = Unit(
        (said("look"), called("a"), called("b")),
        (answer("a", (Text("shot"), PICTURE)), answer("b", "two")),
    )
    assert messages_of(unit)[1:] == [
        {"role": "tool", "tool_call_id": "a", "content": "shot\n[image/png]"},
        {"role": "tool", "tool_call_id": "b", "content": "two"},
        {
            "role": "user",
            "content": [{"type": "text", "text": "[images of the result of a]"}, PICTURE_PART],
        },
    ]


@pytest.mark.parametrize(
    ("arguments", "sent"),
    [
        ("", "{}"),
        ("{broken", '{"_raw":"{broken"}'),
        ("[1]", '{"_raw":"[1]"}'),
        ('{"a":NaN}', '{"_raw":"{\\"a\\":NaN}"}'),
    ],
)
def test_arguments_that_are_no_object(arguments: str, sent: str) -> None:
    (message, _) = messages_of(Unit((called("a", arguments=arguments),), (answer("a", ""),)))
    assert message["tool_calls"][0]["function"]["arguments"] == sent


def test_ids_and_names_are_made_legal_and_stay_apart() -> None:
    ids = ["call|fc_1", "call/fc_1", "x" * 41, "x" * 42, "", "ok-1"]
    units = [Unit((called(id, name="my tool!"),), (answer(id, "r"),)) for id in ids]
    messages = assemble(map(messages_of, units)).messages
    assert check_openai(messages) == []
    assert messages[-1]["tool_call_id"] == "ok-1"
    assert messages[0]["tool_calls"][0]["function"]["name"] == "my_tool_"


def test_a_lone_surrogate_is_no_text_on_the_wire() -> None:
    messages = messages_of(lone("user", "user", "a\ud800b \ud83d\ude00"))
    assert messages == [{"role": "user", "content": "a\ufffdb 😀"}]


def test_a_request_is_its_units_one_after_the_other() -> None:
    units = [lone("user", "user", "a"), Unit((said("b"),)), Unit((said("c"),))]
    rendered = assemble(map(messages_of, units))
    assert [message["content"] for message in rendered.messages] == ["a", "b", "c"]
    assert rendered.system == []
