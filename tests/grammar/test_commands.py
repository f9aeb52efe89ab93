"""Commands: language.md section 4, arguments of contracts.md."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from dcc.grammar.ast import Message, Vocabulary
from dcc.grammar.commands import ALIASES, USAGE
from dcc.grammar.message import parse_message
from dcc.grammar.names import COMMANDS

CASES = yaml.safe_load((Path(__file__).parents[1] / "conformance/commands.yaml").read_text(encoding="utf-8"))
GOAL = frozenset({"goal"})


def read(source: str) -> Message:
    return parse_message(source, Vocabulary(declared=GOAL, patchable=GOAL))


@pytest.mark.parametrize("case", CASES["accepted"], ids=lambda case: case["in"])
def test_a_command_is_read(case: dict[str, Any]) -> None:
    message = read(case["in"])
    assert message.command is not None
    assert (message.command.name, dict(message.command.args)) == (case["name"], case["args"])
    span = message.command.span
    assert case["in"][span.start : span.end] == case["in"].strip()
    assert (message.text, message.patches) == (None, ())
    assert [(f.code, f.severity) for f in message.findings] == [
        (code, "info") for code in case.get("hints", [])
    ]


@pytest.mark.parametrize("case", CASES["refused"], ids=lambda case: case["in"])
def test_a_wrong_command_changes_nothing_and_says_what_was_expected(case: dict[str, Any]) -> None:
    message = read(case["in"])
    assert (message.text, message.patches, message.command) == (None, (), None)
    (finding,) = message.findings
    assert (finding.code, finding.severity) == (case["code"], "error")
    assert case["in"][finding.span.start : finding.span.end] == case["at"]
    assert case.get("expected", "") in finding.message
    assert finding.help
    if "help" in case:
        assert finding.help == case["help"]


@pytest.mark.parametrize("source", ["see /pin x", "/PIN x", "/pinned x", "/pin, x", "> /pin x", "'/pin x'"])
def test_no_command(source: str) -> None:
    message = read(source)
    assert message.command is None
    assert message.text == source


def test_every_command_word_has_a_usage() -> None:
    assert {ALIASES.get(word, word) for word in COMMANDS} == set(USAGE)


_ARGUMENTS = st.lists(
    st.sampled_from(
        [
            "goal",
            "born",
            "born+",
            "+",
            "3",
            "calls",
            "goal@1",
            "all",
            "undo",
            "#2",
            "why",
            "forward",
            "(",
            "x",
        ]
    )
).map(" ".join)


@settings(deadline=None)
@given(st.sampled_from(sorted(COMMANDS)), st.one_of(_ARGUMENTS, st.text()))
def test_a_command_line_is_a_command_or_one_error(word: str, arguments: str) -> None:
    message = read(f"/{word} {arguments}")
    errors = [finding for finding in message.findings if finding.severity == "error"]
    assert len(errors) == (message.command is None)
    assert message.text is None
