"""The status line of a chat."""

from __future__ import annotations

import re

import pytest

from dcc.cli.chat_status import fit, printable, status_line, width, wrapped
from dcc.compiler.load import load_program
from dcc.runtime.session import Reply, Session, Usage


@pytest.mark.parametrize(
    ("text", "columns", "fitted"),
    [
        ("turn 3", 6, "turn 3"),
        ("turn 3", 5, "turn…"),
        ("翻译", 4, "翻译"),
        ("翻译", 3, "翻…"),
        ("翻译", 2, "…"),
        ("e\u0301e\u0301", 2, "e\u0301e\u0301"),
        ("turn", 0, ""),
    ],
)
def test_a_text_is_cut_by_cells(text: str, columns: int, fitted: str) -> None:
    assert fit(text, columns) == fitted
    assert width(fitted) <= columns


@pytest.mark.parametrize(
    ("line", "columns", "lines"),
    [
        ("", 5, [""]),
        ("one two three", 80, ["one two three"]),
        ("one two three", 7, ["one two", "three"]),
        ("one two three", 5, ["one", "two", "three"]),
        ("one  two", 4, ["one", "two"]),
        ("a https://example.org b", 8, ["a", "https://", "example.", "org b"]),
        ("见 翻译翻译翻译", 6, ["见", "翻译翻", "译翻译"]),
        ("翻译", 1, ["翻", "译"]),
        ("  in", 9, ["  in"]),
    ],
)
def test_a_line_is_broken_at_its_blanks(line: str, columns: int, lines: list[str]) -> None:
    assert wrapped(line, columns) == lines


def test_what_it_says() -> None:
    program = load_program({"extends": ["standard"], "governance": {"window": 1000}})
    session = Session.create(program, system="You are brief.")
    session.begin("/goal ship it remain 3")
    tokens = session.tokens()
    told = f"turn 0 | 0 slots on stage | {tokens} of 850 tokens ({100 * tokens // 850} %) | 1 queued | talk"
    assert status_line(session, "openai", "talk") == told


def test_it_tells_what_cpat_tells() -> None:
    """One figure for one thing: tool schemas and what usage has taught are in both."""
    program = load_program({"extends": ["standard"], "governance": {"ops": "cpat", "window": 8_000}})
    session = Session.create(program)
    session.begin("hello")
    session.request()
    session.add_reply(Reply("hi", usage=Usage(input=900, output=3)))
    session.commit()
    full = re.search(r"context: ([0-9,]+) tokens of ([0-9,]+) ", session.governance.status())
    assert full is not None
    assert f"| {full[1]} of {full[2]} tokens (" in status_line(session, "openai", "talk")


def test_without_a_limit_it_tells_what_is_on_stage() -> None:
    session = Session.create(load_program("standard"))
    assert "| 0 tokens |" in status_line(session, "openai", "talk")


def test_a_model_cannot_reach_the_terminal() -> None:
    assert printable("a\x1b[2Jb\x07\x9b\tc\n翻") == "a[2Jb\tc\n翻"
    assert printable("\u202eabc\u2066 שלום\r\n") == "abc שלום\n"
