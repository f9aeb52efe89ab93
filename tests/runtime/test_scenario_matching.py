"""What is expected matches what was played: lists exactly, maps on the keys given."""

from typing import Any

import pytest

from dcc.runtime.scenario.compare import text_of_message
from dcc.runtime.scenario.matching import matches

SLOT = {"slot": "user@1", "as": "full", "tokens": 5}


@pytest.mark.parametrize(
    ("expected", "got"),
    [
        (None, None),
        (3, 3),
        ("a", "a"),
        ([], []),
        (["user@1"], [SLOT]),
        ([{"slot": "user@1", "as": "full"}], [SLOT]),
        ([[1, None], [4, "#17"]], [[1, None], [4, "#17"]]),
        ({"a": {"b": 1}}, {"a": {"b": 1, "c": 2}, "d": 3}),
        (["stale"], [{"code": "stale", "message": "…"}]),
        (["no_gain"], [{"op_index": 0, "rule": "no_gain", "message": "…"}]),
        ({"contains": "b", "lacks": ["d", "e"]}, "a b c"),
        ({"ok": True, "contains": ["a", "c"]}, {"ok": True, "content": "a b c"}),
        ({"at_least": 3, "at_most": 4}, 4),
    ],
)
def test_holds(expected: Any, got: Any) -> None:
    assert matches(expected, got)


@pytest.mark.parametrize(
    ("expected", "got"),
    [
        (None, 0),
        (1, True),
        (False, 0),
        ("1", 1),
        (["user@1"], []),
        (["user@1"], [SLOT, SLOT]),
        (["user@2"], [SLOT]),
        ({"contains": ["a", "z"]}, "a b c"),
        ({"lacks": "b"}, "a b c"),
        ({"contains": "a"}, None),
        ({"ok": True, "contains": "z"}, {"ok": True, "content": "a"}),
        ({"contains": "a"}, {"ok": True}),
        ({"at_most": 3}, 4),
        ({"at_least": 0}, True),
        ({}, "a"),
        ([{"slot": "user@1", "as": "stub"}], [SLOT]),
        ({"a": None}, {}),
        ({"a": 1}, [1]),
        ([1], 1),
    ],
)
def test_differs(expected: Any, got: Any) -> None:
    assert not matches(expected, got)


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ({"role": "user", "content": "hi"}, "hi"),
        ({"role": "assistant", "content": None}, ""),
        ({"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}, "a\nb"),
        ({"role": "user", "content": [{"type": "tool_result", "content": "r"}]}, "r"),
        ({"role": "user", "content": [{"type": "image_url", "image_url": {}}]}, ""),
    ],
)
def test_the_text_of_a_message(message: dict[str, Any], text: str) -> None:
    assert text_of_message(message) == text
