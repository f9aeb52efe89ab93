"""Bounds: language.md section 2."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from dcc.grammar.ast import Bound
from dcc.grammar.bounds import (
    WORDS,
    BoundError,
    _counted,
    _parse_text,
    bound_value,
    parse_bound,
    show_bound,
)
from dcc.grammar.lalr import parser

CASES = yaml.safe_load((Path(__file__).parents[1] / "conformance/bounds.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", CASES["accepted"], ids=lambda case: repr(case["bound"]))
def test_a_bound_is_read_and_shown(case: dict[str, Any]) -> None:
    bound = parse_bound(case["bound"])
    assert bound == Bound(**case["is"])
    assert show_bound(bound) == str(case.get("shown", case["bound"]))
    assert parse_bound(bound_value(bound)) == bound


@given(
    kind=st.sampled_from(["born", "idle"]),
    n=st.integers(0, 1_000_001),
    unit=st.sampled_from(["", " turns", " calls", " turn", "turns", "  calls"]),
)
def test_a_count_in_its_canonical_form_means_what_the_grammar_says(kind: str, n: int, unit: str) -> None:
    text = f"{kind}+{n}{unit}"
    quick = _counted(text)
    assert quick is None or quick == _parse_text(text)


@pytest.mark.parametrize("case", CASES["refused"], ids=lambda case: repr(case["bound"]))
def test_a_wrong_bound_says_what_was_expected(case: dict[str, Any]) -> None:
    with pytest.raises(BoundError) as caught:
        parse_bound(case["bound"])
    error = caught.value
    assert error.code == case["code"]
    if "expected" in case:
        assert case["expected"] in error.expected
        assert case["expected"] in error.message
    if "span" in case:
        assert [error.span.start, error.span.end] == case["span"]
    if "help" in case:
        assert error.help == case["help"]


@pytest.mark.parametrize("word", WORDS)
def test_the_grammar_knows_every_word(word: str) -> None:
    assert parser("bounds").parse(word).data == ("birth" if word == "born" else "word")


def test_reading_a_word_needs_no_lark() -> None:
    read = "from dcc.grammar.bounds import parse_bound; parse_bound('born')"
    subprocess.run([sys.executable, "-c", f"import sys; {read}; sys.exit('lark' in sys.modules)"], check=True)


def _bounds() -> st.SearchStrategy[Bound]:
    numbers = st.integers(0, 999_999)
    some = st.integers(1, 999_999)
    names = st.from_regex(r"\w[\w-]*", fullmatch=True)
    words = st.sampled_from(["open", "until_cancelled", "until_superseded", "cycle", "labelled"])
    return st.one_of(
        st.builds(Bound, words),
        st.builds(Bound, st.sampled_from(["born", "turn"]), numbers),
        st.builds(Bound, st.just("idle"), numbers),
        st.builds(Bound, st.sampled_from(["born", "idle"]), some, st.just("calls")),
        st.builds(lambda name: Bound("until_end", element=name), names),
    )


@settings(deadline=None)
@given(_bounds())
def test_what_is_shown_means_the_same(bound: Bound) -> None:
    assert parse_bound(bound_value(bound)) == bound
    if bound.kind != "turn":
        assert parse_bound(show_bound(bound)) == bound


@settings(deadline=None)
@given(st.one_of(st.text(), st.text("born idleutcaskghn_+0123456789()", max_size=20)))
def test_any_text_is_a_bound_or_an_error_within_it(text: str) -> None:
    error = _error_of(text)
    if error:
        assert 0 <= error.span.start <= error.span.end <= len(text)
        assert error.expected


def _error_of(text: str) -> BoundError | None:
    try:
        parse_bound(text)
    except BoundError as error:
        return error
    return None


@pytest.mark.parametrize("text", ["born+" + "9" * 100_000, "born" + " " * 100_000 + "+", "x" * 100_000])
def test_a_huge_text_is_refused_with_a_short_message(text: str) -> None:
    with pytest.raises(BoundError) as caught:
        parse_bound(text)
    assert len(caught.value.message) < 500
