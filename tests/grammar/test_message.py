"""Content patches in a message: language.md section 3."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dcc.grammar.ast import Message, Vocabulary
from dcc.grammar.message import parse_message

CASES = yaml.safe_load(
    (Path(__file__).parents[1] / "conformance/patch_lines.yaml").read_text(encoding="utf-8")
)
PATCHABLE = frozenset({"system", "goal", "constraint", "task_state"})
PROTOCOL = frozenset({"user", "assistant", "think", "toolResult", "recall"})
VOCABULARY = Vocabulary(declared=PATCHABLE | PROTOCOL, patchable=PATCHABLE)


def read(source: str) -> Message:
    return parse_message(source, VOCABULARY)


def codes(message: Message) -> list[str]:
    return [finding.code for finding in message.findings]


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, id=f"{section}: {case['in']!r}")
        for section, cases in CASES.items()
        for case in cases
    ],
)
def test_a_message_is_read(case: dict[str, Any]) -> None:
    message = read(case["in"])
    assert [[p.element, p.content, p.mode, p.turns] for p in message.patches] == case.get("patches", [])
    assert message.text == case["text"]
    assert codes(message) == case.get("findings", [])
    assert message.command is None
    assert message.is_bare == (case["text"] is None and bool(message.patches))


def test_a_span_runs_from_the_slash_to_the_count() -> None:
    source = "你好 /goal 翻译 remain  3。/constraint b\nroll none"
    spans = [source[p.span.start : p.span.end] for p in read(source).patches]
    assert spans == ["/goal 翻译 remain  3"]


def test_a_patch_that_is_named_like_a_refinement_is_told_so() -> None:
    finer = Vocabulary(declared=frozenset({"goal"}), patchable=frozenset({"goal"}), refinements=frozenset({"read"}))
    (finding,) = parse_message("/read a remain 3", finer).findings
    assert finding.code == "undeclared_element"
    assert "read is a refinement" in finding.message
    assert parse_message("see /read a remain 3", finer).patches == ()


def test_an_element_that_is_not_declared_is_no_candidate_inside_a_line() -> None:
    nothing = Vocabulary(declared=frozenset(), patchable=frozenset())
    message = parse_message("/goal a remain 3 /system b refresh none", nothing)
    assert [p.content for p in message.patches] == ["a remain 3 /system b"]
    assert codes(message) == ["undeclared_element"]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("/goal x", "the line ends where remain, roll or refresh was expected"),
        ("/goal x remain", "the line ends where a number of turns from 1 to 999999 or none was expected"),
        (
            "/goal x remain soon",
            "'soon' stands where a number of turns from 1 to 999999 or none was expected",
        ),
        ("/goal x remain 1234567", "'1234567' stands where a number of turns"),
        ("/goal", "the line ends where the content of the patch was expected"),
        ("/goal remain 5", "'remain' stands where the content of the patch was expected"),
        ("//goal x", "'/goal' stands where an element name directly after the slash was expected"),
        ("/tmp files should remain 3 days", "'days' stands where the end of the line was expected"),
        (
            "/goal a /constraint b roll 2",
            "'the next patch' stands where remain, roll or refresh was expected",
        ),
    ],
)
def test_a_slash_line_is_told_what_was_expected(line: str, told: str) -> None:
    (finding,) = read(line).findings
    assert finding.code == "slash_line"
    assert finding.severity == "info"
    assert told in finding.message


@pytest.mark.parametrize(
    ("line", "near"),
    [
        ("/dc-staus", "/dc-status"),
        ("/DC-STATUS", "/dc-status"),
        ("/gaol x remain 3 days", "/goal"),
        ("/goal x reamin 3", "remain 3"),
        ("/goal x Refresh none", "refresh none"),
        ("/goal 翻译 rol 2 ", "roll 2"),
    ],
)
def test_a_slip_is_told_the_nearest_name(line: str, near: str) -> None:
    (finding,) = read(line).findings
    assert finding.help == f"did you mean {near}?"


@pytest.mark.parametrize("line", ["/goal go home 3", "/goal reamin 3 times", "/goal x\nreamin 3", "/goal reamin"])
def test_what_is_no_slip_of_a_mode_is_told_how_a_patch_is_written(line: str) -> None:
    (finding,) = read(line).findings
    assert finding.help.startswith("write /goal, the content, remain and a number")


def test_the_first_64_patches_are_read_and_the_rest_stays_with_one_hint() -> None:
    message = read("/goal a remain 3\n" * 70)
    assert len(message.patches) == 64
    assert message.text == "\n".join(["/goal a remain 3"] * 6)
    assert codes(message) == ["over_limit"]


def test_the_first_64_patches_of_a_line_are_read() -> None:
    message = read("/goal a remain 3 " * 70)
    assert len(message.patches) == 64
    assert message.text == " ".join(["/goal a remain 3"] * 6)
    assert codes(message) == ["over_limit"]


@pytest.mark.parametrize(
    ("content", "taken"), [("字" * 21_845, True), ("字" * 21_846, False), ("a" * 65_536, True)]
)
def test_content_of_more_than_65536_bytes_stays_in_the_text(content: str, taken: bool) -> None:
    message = read(f"/goal {content} remain 3\n/constraint b remain 2")
    assert [p.element for p in message.patches] == (["goal", "constraint"] if taken else ["constraint"])
    assert codes(message) == ([] if taken else ["over_limit"])


def test_the_first_64_slash_lines_get_a_hint_and_one_more_says_so() -> None:
    message = read("/a\n" * 100)
    assert codes(message) == ["slash_line"] * 64 + ["hint_limit"]
    assert codes(read("hi\n" + "/pin x\n" * 64)) == ["command_in_text"] * 64


@pytest.mark.parametrize(
    ("source", "patches"),
    [
        ("/" * 300_000, 0),
        ("/a b" + " " * 300_000, 0),
        ("/" + "remain " * 50_000, 0),
        ("/goal a remain 3 " * 20_000, 64),
        ("/goal " * 50_000, 0),
        ("/goal " * 50_000 + "a remain 3", 1),
        ("/\n" + "```\n" * 100_000, 0),
        ("/goal a\n" * 50_000, 0),
        ("/goal a\n" * 50_000 + "b remain 3", 1),
        ("/goal a remain" + " " * 300_000 + "3", 1),
        ("/goal a remain " + "9" * 300_000, 0),
        ("/\n" + "> /goal a remain 3\n" * 20_000, 0),
        ("\ud800/goal \ud800 remain 3", 0),
        ("/goal \ud800" + "x" * 70_000 + " remain 3", 0),
    ],
    ids=lambda value: repr(value)[:24],
)
def test_hostile_texts_are_read(source: str, patches: int) -> None:
    assert len(read(source).patches) == patches


_NAMES = ["/goal", "/system", "/user", "/new", "/pin", "/dc-rule", "//", "/", "/goal a remain 3"]
_PAIRS = [
    "remain",
    "roll",
    "refresh",
    "remian",
    "3",
    "05",
    "none",
    "３",
    "1234567",
    " remain 3",
    " roll none",
]
_OTHERS = [
    "a",
    "翻译",
    "。",
    ",",
    ".",
    " ",
    "\n",
    "\n\n",
    "\r\n",
    "\u3000",
    "\t",
    "```",
    "~~~",
    "> ",
    "“",
    "`",
]
_PIECES = st.sampled_from(_NAMES + _PAIRS + _OTHERS)
_MESSAGES = st.one_of(st.text(), st.lists(_PIECES, max_size=24).map("".join))


@settings(deadline=None)
@given(_MESSAGES)
@example("/goal a remain 3 /goal b remain 2\n/goal c remain 1")
def test_text_and_removed_spans_account_for_the_whole_source(source: str) -> None:
    message = read(source)
    if message.command or any(finding.severity == "error" for finding in message.findings):
        assert message.text is None
        assert not message.patches
        return
    at, rest = 0, ""
    for patch in message.patches:
        assert at <= patch.span.start < patch.span.end <= len(source)
        rest += source[at : patch.span.start]
        at = patch.span.end
        taken = source[patch.span.start : at]
        assert taken.startswith(f"/{patch.element}")
        assert patch.content in taken
        assert patch.content == patch.content.strip() != ""
    rest += source[at:]
    assert "".join((message.text or "").split()) == "".join(rest.split())
    assert message.text is None or message.text == message.text.strip() != ""


@settings(deadline=None)
@given(_MESSAGES)
def test_findings_stand_in_the_message_in_order(source: str) -> None:
    starts = [finding.span.start for finding in read(source).findings]
    assert starts == sorted(starts)
    for finding in read(source).findings:
        assert 0 <= finding.span.start <= finding.span.end <= len(source)
        assert finding.message
