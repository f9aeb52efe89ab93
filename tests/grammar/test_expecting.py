"""What may come next on a line that is being typed."""

from __future__ import annotations

import pytest

from dcc.compiler.load import load_program
from dcc.grammar.expecting import Expected, expecting
from dcc.grammar.names import COMMANDS

VOCABULARY = load_program("standard").vocabulary


def expected(text: str) -> Expected:
    found = expecting(text, VOCABULARY)
    assert found is not None
    return found


@pytest.mark.parametrize(
    "text", ["", "hello", "and/or", "hello /goal a remain 3 ", "a /nothing ", "/pin\n/dc-rule goal "]
)
def test_plain_text_and_what_is_over_expects_nothing(text: str) -> None:
    assert expecting(text, VOCABULARY) is None


def test_a_slash_at_the_start_may_be_every_command_and_element() -> None:
    found = expected("/")
    assert {f"/{name}" for name in COMMANDS} < set(found.words)
    assert "/goal" in found.words
    assert found.at == 0


def test_a_slash_in_the_middle_may_be_what_is_patchable() -> None:
    found = expected("hello /go")
    assert "/goal" in found.words
    assert "/user" not in found.words
    assert "/pin" not in found.words
    assert found.at == 6


def test_a_command_stands_alone() -> None:
    assert "/pin" not in expected("hello\n/p").words
    assert expecting("hello\n/dc-rule goal ", VOCABULARY) is None


@pytest.mark.parametrize(
    ("typed", "words", "said"),
    [
        ("/dc-rule ", ["goal", "user"], "an element name"),
        ("/dc-rule goal ", ["born", "null", "until_goal_end"], "a bound such as born+3, 5 or null"),
        ("/dc-rule goal born nu", ["null", "forward", "force_refresh"], "the end of the line"),
        ("/cpat ", ["manifest", "undo", "why"], "undo"),
        ("/cpat undo ", [], "a number of transactions"),
        ("/dc-unkeep ", ["all"], "a slot such as toolResult@3"),
        ("/pin note this ", [], "a text"),
        ("/canon ", ["status", "settings"], "status"),
        ("/goal ", [], "the content of the patch"),
        ("/goal ship it ", ["remain", "roll", "refresh"], "remain, roll or refresh"),
        ("/goal ship it remain ", ["none"], "a number of turns from 1 to 999999"),
        ("hello /goal ship it re", ["remain", "roll", "refresh"], "remain, roll or refresh"),
        ("你好/goal 翻译 ", ["remain", "roll", "refresh"], "remain, roll or refresh"),
        ("one\n/goal ship it ", ["remain", "roll", "refresh"], "remain, roll or refresh"),
    ],
)
def test_the_grammar_says_what_comes(typed: str, words: list[str], said: str) -> None:
    found = expected(typed)
    assert set(words) <= set(found.words)
    assert said in found.said
    assert found.at == max(typed.rfind(" "), typed.rfind("\n")) + 1


def test_a_command_is_shown_whole() -> None:
    assert expected("/dc-end ").usage == "/dc-end element|slot"
