"""An answer that is shown while it comes says what its text will say, however it is cut into pieces."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dcc.runtime.answer.parse import Parser, parse_answer
from dcc.runtime.answer.streaming import StreamedAnswer


def shown(parser: Parser, *pieces: str) -> tuple[str, str]:
    """The text and the thinking that a person sees."""
    text: list[str] = []
    thinking: list[str] = []
    answer = StreamedAnswer(parser, text.append, thinking.append)
    for piece in pieces:
        answer.take(piece)
    answer.end()
    return "".join(text), "".join(thinking)


CASES: list[tuple[Parser, str, str, str]] = [
    ("normal", "just text", "just text", ""),
    ("normal", "<think>hm, 1 < 2</think>\n\nIt is.", "It is.", "hm, 1 < 2"),
    ("normal", "<THINK>hm</Think>It is.", "It is.", "hm"),
    ("normal", "It is. <think>cut off", "It is. ", "cut off"),
    ("normal", "swallowed</think> It is.", "swallowed It is.", ""),
    ("normal", "a <pin>keep it</pin>b", "a b", ""),
    ("normal", "a <Pin>never closed", "a ", ""),
    ("normal", "a </pin> b", "a </pin> b", ""),
    ("normal", "1 <2 and <b>bold</b> <", "1 <2 and <b>bold</b> <", ""),
    ("normal", "<goal>x</goal> y", "<goal>x</goal> y", ""),
    ("tagged", "<goal>x</goal>y", "y", ""),
    ("tagged", "<assistant>hello</assistant>", "hello", ""),
    ("tagged", "a <note>b <goal>c</goal> d", "a <note>b  d", ""),
    ("tagged", "a <user>b</user>", "a <user>b</user>", ""),
    ("tagged", "a </note> b", "a </note> b", ""),
    ("tagged", "<think>a <goal>b</goal></think>c", "c", "a <goal>b</goal>"),
    ("tagged", "a <x y> <1> <é>b</é>", "a <x y> <1>", ""),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[1])
def test_cut_at_any_place(case: tuple[Parser, str, str, str]) -> None:
    parser, answer, text, thinking = case
    for at in range(len(answer) + 1):
        assert shown(parser, answer[:at], answer[at:]) == (text, thinking)
    assert shown(parser, *answer) == (text, thinking)


def test_text_is_shown_as_soon_as_it_is_known() -> None:
    seen: list[str] = []
    answer = StreamedAnswer("normal", seen.append, seen.append)
    for piece, so_far in (
        ("a b", "a b"), (" <", "a b "), ("i>c", "a b <i>c"), ("<thi", "a b <i>c"), ("nk>h", "a b <i>ch"),
    ):  # fmt: skip
        answer.take(piece)
        assert "".join(seen) == so_far
    answer.take("m, let me see")
    assert "".join(seen) == "a b <i>chm, let me see"


WORDS = st.sampled_from(["<goal>", "</goal>", "<note>", "</note>", "<assistant>", "</assistant>", "<pin>", "</pin>",
                         "<user>", "</user>", "a", " ", "<", "b\n"])  # fmt: skip


@given(st.lists(WORDS, max_size=12), st.lists(st.integers(0, 60), max_size=6))
def test_what_is_shown_is_the_text_that_is_read(words: list[str], cuts: list[int]) -> None:
    answer = "".join(words)
    edges = [0, *sorted(min(cut, len(answer)) for cut in cuts), len(answer)]
    pieces = [answer[a:b] for a, b in pairwise(edges)]
    for parser in ("normal", "tagged"):
        text, _ = shown(parser, *pieces)
        assert "".join(text.split()) == "".join(parse_answer(answer, parser).assistant.split())


def test_it_reads_a_hostile_answer_once() -> None:
    for answer in ("<a>" * 100_000, "<" * 300_000, "<think>" + "</thin" * 50_000):
        for parser in ("normal", "tagged"):
            shown(parser, answer)
            shown(parser, *(answer[n : n + 1000] for n in range(0, len(answer), 1000)))
