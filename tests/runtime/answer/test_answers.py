"""Answers, case by case from conformance/answers.yaml."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from dcc.grammar.errors import DccError
from dcc.runtime.answer.parse import Answer, Parser, parse_answer, parser_named

CASES = yaml.safe_load((Path(__file__).parents[2] / "conformance/answers.yaml").read_text(encoding="utf-8"))
PARSERS: tuple[Parser, ...] = ("normal", "tagged")


def expected(case: dict[str, Any], parser: Parser) -> Answer:
    told = case.get("both") or case[parser]
    elements = tuple((name, content) for name, content in told.get("elements", []))
    return Answer(told["assistant"], told.get("thinking"), elements, tuple(told.get("pins", [])))


@pytest.mark.parametrize("parser", PARSERS)
@pytest.mark.parametrize("case", CASES, ids=lambda case: repr(case["text"]))
def test_an_answer_is_read(case: dict[str, Any], parser: Parser) -> None:
    assert parse_answer(case["text"], parser) == expected(case, parser)


def test_a_ruleset_names_its_parser() -> None:
    assert [parser_named(name) for name in (None, "normal", "tagged")] == ["normal", "normal", "tagged"]
    with pytest.raises(DccError, match=r"unknown answer\.parser 'xml', expected normal or tagged"):
        parser_named("xml")


@given(st.lists(st.sampled_from(["<think>", "</think>", "<pin>", "</pin>", "<a>", "</a>", "<b>", "</b>", "x", " "])))
def test_no_word_of_an_answer_is_lost(pieces: list[str]) -> None:
    text = "".join(f"{piece}{n}." if piece == "x" else piece for n, piece in enumerate(pieces))
    for parser in PARSERS:
        answer = parse_answer(text, parser)
        parts = [answer.thinking or "", answer.assistant, *answer.pins, *(content for _, content in answer.elements)]
        assert sorted(word(parts)) == sorted(word([text]))


def word(parts: list[str]) -> list[str]:
    return [word for part in parts for word in "".join(c if c.isalnum() else " " for c in strip(part)).split()]


def strip(text: str) -> str:
    for tag in ("<think>", "</think>", "<pin>", "</pin>", "<a>", "</a>", "<b>", "</b>"):
        text = text.replace(tag, " ")
    return text


@pytest.mark.parametrize("piece", ["<a>", "<pin>", "<think>", "</a>", "<", "<a><b>", "<a></b>"])
def test_a_hostile_answer_is_read_once(piece: str) -> None:
    text = piece * 100_000
    assert isinstance(parse_answer(text, "tagged"), Answer)
