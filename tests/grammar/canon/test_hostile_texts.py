"""Texts that are made to hold a reader up: each is read in one go, where looking back would take hours."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dcc.grammar.canon.entries import read_entry
from dcc.grammar.canon.links import links_in, without_code
from dcc.grammar.canon.quoting import read_list
from dcc.grammar.canon.values import LONGEST, missing_values, values_in
from dcc.grammar.canon.words import dropped_constraints

MANY = 300_000

NUMBERS = " ".join(map(str, range(1_000_000, 1_000_000 + MANY // 8)))
OTHERS = " ".join(map(str, range(2_000_000, 2_000_000 + MANY // 8)))
RULES = "".join(f"- must {number}\n" for number in range(MANY // 10))


@pytest.mark.parametrize(
    ("read", "found"),
    [
        pytest.param(lambda: read_list(f"[a{' ' * MANY}b]"), (f"a{' ' * MANY}b",), id="blanks in a list"),
        pytest.param(
            lambda: read_entry(f"---\nsubject: [a{' ' * MANY}, b]\n---\nx").subjects, ("a", "b"), id="in an entry"
        ),
        pytest.param(lambda: missing_values(NUMBERS, NUMBERS), (), id="values that are all held"),
        pytest.param(lambda: len(missing_values(NUMBERS, OTHERS)), 6, id="values of which none is held"),
        pytest.param(lambda: missing_values("4 or 42", "1" * MANY), ("42",), id="one long number"),
        pytest.param(lambda: list(dropped_constraints(RULES, RULES)), [], id="constraints that are all kept"),
        pytest.param(
            lambda: list(dropped_constraints(RULES, RULES.replace("\n-", ""))), [], id="constraints in one line"
        ),
        pytest.param(
            lambda: len(links_in("".join(f"{'`' * n}[[a]]" for n in range(1_200)))), 1_200, id="backticks never closed"
        ),
    ],
)
def test_a_text_made_to_hold_a_reader_up_is_read(read: Callable[[], object], found: object) -> None:
    assert read() == found


@given(st.text(alphabet="a1-. 一\"%", max_size=30), st.text(alphabet="a1-. 一\"%", max_size=60))
def test_values_are_held_as_a_search_for_each_finds_them(text: str, article: str) -> None:
    held = [
        re.search(f"(?<![a-z0-9一]){re.escape(value)}(?![a-z0-9一])", " ".join(article.split())) is not None
        for value in values_in(text)
    ]
    missing = [value for value, is_held in zip(values_in(text), held, strict=True) if not is_held]
    assert missing_values(text, article) == tuple(sorted(missing, key=len, reverse=True)[:6])


def test_what_is_longer_than_any_name_is_no_value() -> None:
    assert [len(value) for value in values_in(f"{'a-' * 49}bc {'a-' * 50}b")] == [LONGEST]


CODE = re.compile(r"(?<!`)(`+)(?!`)(?:(?!\n\n).)+?(?<!`)\1(?!`)", re.DOTALL)


@given(st.text(alphabet="`a\n", max_size=40).map(lambda text: re.sub("``+", "``", text)))
def test_code_in_backticks_ends_at_the_next_run_of_as_many(text: str) -> None:
    assert without_code(text) == CODE.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)


def test_a_backtick_is_closed_in_its_own_paragraph() -> None:
    for blank in ("\n\n", "\r\n\r\n", "\n \t\n"):
        assert [link.target for link in links_in(f"one ` tick{blank}[[a]]{blank}another ` tick")] == ["a"]
