"""Rendering for pi."""

from __future__ import annotations

from typing import Any

import pytest
from units import answer, called, lone, said, thought

from dcc.runtime.kernel.content import Image, Opaque, Text, signed_thought
from dcc.runtime.view.pi import REDACTED, assemble, messages_of
from dcc.runtime.view.unit import Shown, Unit


def text(body: str) -> dict[str, str]:
    return {"type": "text", "text": body}


@pytest.mark.parametrize(
    ("unit", "role", "content"),
    [
        (lone("system", "system", "Be brief."), "system", [text("Be brief.")]),
        (lone("goal", "user", "翻译", labelled=True), "user", [text("[goal]\n翻译")]),
        (
            lone("user", "user", (Text("see"), Image("image/png", "AAAA"))),
            "user",
            [text("see"), {"type": "image", "data": "AAAA", "mimeType": "image/png"}],
        ),
        (lone("user", "user", ()), "user", [text("")]),
        (lone("toolResult", "tool", "no call"), "user", [text("[toolResult]\nno call")]),
        (
            Unit((thought("hm"), said("hi"))),
            "assistant",
            [{"type": "thinking", "thinking": "hm"}, text("hi")],
        ),
        (
            Unit((thought((signed_thought("hm", "c2ln"),)),)),
            "assistant",
            [{"type": "thinking", "thinking": "hm", "thinkingSignature": "c2ln"}],
        ),
        (
            Unit((thought((Opaque('{"type":"redacted_thinking","data":"eHl6"}'),)), said("hi"))),
            "assistant",
            [
                {"type": "thinking", "thinking": REDACTED, "thinkingSignature": "eHl6", "redacted": True},
                text("hi"),
            ],
        ),
    ],
)
def test_messages(unit: Unit, role: str, content: list[dict[str, Any]]) -> None:
    assert messages_of(unit) == [{"role": role, "content": content}]


def test_a_reply_and_its_results() -> None:
    unit = Unit(
        (said("look"), called("toolu|1", arguments='{"path":"a.py"}')),
        (answer("toolu|1", "gone", is_error=True),),
    )
    assert messages_of(unit) == [
        {
            "role": "assistant",
            "content": [
                text("look"),
                {"type": "toolCall", "id": "toolu|1", "name": "read", "arguments": {"path": "a.py"}},
            ],
        },
        {
            "role": "toolResult",
            "toolCallId": "toolu|1",
            "toolName": "read",
            "content": [text("gone")],
            "isError": True,
        },
    ]


def test_a_request_is_its_units_one_after_the_other() -> None:
    units = [lone("user", "user", "a"), Unit((said("b"),))]
    assert [m["role"] for m in assemble(map(messages_of, units)).messages] == ["user", "assistant"]


def test_a_unit_has_a_result_for_every_call() -> None:
    with pytest.raises(ValueError, match="1 tool calls"):
        Unit((called("a"),))


def test_a_call_slot_that_became_text_still_is_a_call() -> None:
    slot = Shown("toolCall@1", "toolCall", "assistant", False, "left out", call_id="a", tool="read")
    assert messages_of(Unit((slot,), (answer("a", "r"),)))[0]["content"] == [
        {"type": "toolCall", "id": "a", "name": "read", "arguments": {"_raw": "left out"}}
    ]
