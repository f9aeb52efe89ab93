"""Patches that a program writes."""

from __future__ import annotations

import pytest

from dcc.grammar.errors import GrammarError
from dcc.grammar.patches import make_patch


def test_slashes_and_white_space_go() -> None:
    patch = make_patch("u", "//a", " b ", "roll", 2)
    assert (patch.element, patch.content, patch.mode, patch.turns) == ("a", "b", "roll", 2)


@pytest.mark.parametrize("turns", [None, "none"])
def test_none_is_no_end(turns: object) -> None:
    assert make_patch("u", "目标", "b", "remain", turns).turns is None


@pytest.mark.parametrize(
    ("code", "creator", "element", "content", "mode", "turns"),
    [
        ("empty_creator", " ", "a", "b", "remain", 1),
        ("empty_element", "u", "///", "b", "remain", 1),
        ("bad_element", "u", "a b", "b", "remain", 1),
        ("empty_content", "u", "a", "  ", "remain", 1),
        ("bad_mode", "u", "/a", " b ", "bogus", 1),
        ("bad_mode", "u", "a", "b", "remian", 1),
        ("bad_turns", "u", "a", "b", "remain", 0),
        ("bad_turns", "u", "a", "b", "remain", 1.5),
        ("bad_turns", "u", "a", "b", "remain", True),
        ("bad_turns", "u", "a", "b", "remain", "3"),
        ("bad_turns", "u", "a", "b", "remain", 1_000_000),
    ],
)
def test_what_is_wrong_is_named(
    code: str, creator: str, element: str, content: str, mode: str, turns: object
) -> None:
    with pytest.raises(GrammarError) as caught:
        make_patch(creator, element, content, mode, turns)
    assert caught.value.code == code
    assert caught.value.expected
