"""Rendering for Anthropic messages."""

from __future__ import annotations

from typing import Any

import pytest
from legality import check_anthropic
from units import answer, called, lone, said, thought

from dcc.runtime.kernel.content import Image, Opaque, Text, signed_thought
from dcc.runtime.view.anthropic import NO_OUTPUT, OPENING, assemble, blocks_of, messages_of
from dcc.runtime.view.unit import Unit

SIGNED = {"type": "thinking", "thinking": "hm", "signature": "c2ln"}
REDACTED = Opaque('{"type":"redacted_thinking","data":"eHl6"}')
DOCUMENT = {"type": "document", "source": {"type": "text", "data": "d"}}


def text(body: str) -> dict[str, str]:
    return {"type": "text", "text": body}


def user(*blocks: dict[str, Any]) -> dict[str, Any]:
    return {"role": "user", "content": list(blocks)}


def assistant(*blocks: dict[str, Any]) -> dict[str, Any]:
    return {"role": "assistant", "content": list(blocks)}


@pytest.mark.parametrize(
    ("unit", "messages"),
    [
        (lone("user", "user", "hello"), [user(text("hello"))]),
        (lone("goal", "user", "翻译", labelled=True), [user(text("[goal]\n翻译"))]),
        (lone("user", "user", " \n"), []),
        (
            lone("user", "user", (Text("see"), Image("image/png", "AAAA"), Image("image/bmp", "AAAA"))),
            [
                user(
                    text("see"),
                    {
                        "type": "image",
                        "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"},
                    },
                    text("[image/bmp]"),
                )
            ],
        ),
        (
            lone("user", "user", (Opaque('{"type":"document","source":{"type":"text","data":"d"}}'),)),
            [user(DOCUMENT)],
        ),
        (lone("system", "system", "late rule"), [user(text("[system]\nlate rule"))]),
        (lone("toolResult", "tool", "no call"), [user(text("[toolResult]\nno call"))]),
        (lone("summary", "assistant", "so far"), [assistant(text("so far"))]),
        (Unit((said(""),)), []),
        (
            Unit((said((Text("see"), Image("image/png", "AAAA"))),)),
            [assistant(text("see"), text("[image/png]"))],
        ),
        (Unit((thought("hm"), said("hi"))), [assistant(text("<thinking>hm</thinking>"), text("hi"))]),
        (Unit((thought((signed_thought("hm", "c2ln"),)), said("hi"))), [assistant(SIGNED, text("hi"))]),
        (
            Unit((thought((REDACTED, signed_thought("hm", "c2ln"))), said("hi"))),
            [assistant({"type": "redacted_thinking", "data": "eHl6"}, SIGNED, text("hi"))],
        ),
        (Unit((thought((signed_thought("hm", "c2ln"),)),)), [assistant(text("<thinking>hm</thinking>"))]),
        (
            Unit((thought((signed_thought("hm", "c2ln"),)), said(" "))),
            [assistant(text("<thinking>hm</thinking>"))],
        ),
        (Unit((thought((REDACTED,)),)), []),
        (
            Unit((thought((signed_thought("hm", '{"id":"rs_1"}'),)), said("hi"))),
            [assistant(text("<thinking>hm</thinking>"), text("hi"))],
        ),
    ],
)
def test_messages(unit: Unit, messages: list[dict[str, Any]]) -> None:
    assert messages_of(unit) == messages


def test_a_reply_and_its_results() -> None:
    unit = Unit(
        (said("look"), called("a", arguments='{"path":"a.py"}'), called("b", arguments="{broken")),
        (answer("a", "one"), answer("b", "", is_error=True)),
    )
    assert messages_of(unit) == [
        assistant(
            text("look"),
            {"type": "tool_use", "id": "a", "name": "read", "input": {"path": "a.py"}},
            {"type": "tool_use", "id": "b", "name": "read", "input": {"_raw": "{broken"}},
        ),
        user(
            {"type": "tool_result", "tool_use_id": "a", "content": [text("one")]},
            {"type": "tool_result", "tool_use_id": "b", "content": [text(NO_OUTPUT)], "is_error": True},
        ),
    ]


def test_equal_roles_are_merged_as_separate_blocks() -> None:
    units = [
        lone("goal", "user", "g"),
        lone("user", "user", "u"),
        Unit((called("a"),), (answer("a", "r"),)),
        lone("note", "user", "n"),
        Unit((said("x"),)),
        Unit((said("y"),)),
    ]
    rendered = assemble(map(messages_of, units))
    assert [(message["role"], len(message["content"])) for message in rendered.messages] == [
        ("user", 2),
        ("assistant", 1),
        ("user", 2),
        ("assistant", 2),
    ]
    assert check_anthropic(rendered.system, rendered.messages) == []


def test_top_slots_go_to_the_top_field() -> None:
    units = [
        lone("system", "system", "one", top=True),
        lone("user", "user", "u"),
        lone("system", "system", "two", top=True),
    ]
    rendered = assemble(map(messages_of, units))
    assert rendered.system == [text("one"), text("two")]
    assert rendered.messages == [user(text("u"))]


def test_the_first_message_is_the_users() -> None:
    rendered = assemble([messages_of(Unit((said("x"),)))])
    assert rendered.messages == [user(text(OPENING)), assistant(text("x"))]
    assert assemble([]).messages == []


def test_prefixes_are_compared_before_merging() -> None:
    before = [messages_of(lone("goal", "user", "g"))]
    after = [*before, messages_of(lone("user", "user", "u"))]
    assert blocks_of(after)[: len(blocks_of(before))] == blocks_of(before)
    assert blocks_of(after) == [("user", text("g")), ("user", text("u"))]


def test_assembling_leaves_the_cached_messages_alone() -> None:
    cached = [messages_of(lone("goal", "user", "g")), messages_of(lone("user", "user", "u"))]
    assert assemble(cached) == assemble(cached)


def test_ids_are_made_legal_and_stay_apart() -> None:
    ids = ["call|1", "call/1", "调用", "x" * 100, ""]
    units = [Unit((called(id, name="工具"),), (answer(id, "r"),)) for id in ids]
    rendered = assemble(map(messages_of, [lone("user", "user", "u"), *units]))
    assert check_anthropic(rendered.system, rendered.messages) == []


def test_an_escaped_lone_surrogate_is_no_text_on_the_wire() -> None:
    unit = Unit((called("a", arguments='{"t":"\\ud800"}'),), (answer("a", "r"),))
    assert messages_of(unit)[0]["content"][0]["input"] == {"t": "\ufffd"}
