"""Runs tests/conformance/fixes.yaml, and holds every fix of every check to what is promised of fixes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from dcc.compiler.check import all_checks
from dcc.compiler.choice import Choice
from dcc.compiler.compose import decode
from dcc.compiler.diagnostics import Edit, Position
from dcc.compiler.files import check_file
from dcc.compiler.fixes import Fixer, apply_edits

CONFORMANCE = Path(__file__).parents[1] / "conformance"
CASES = yaml.safe_load((CONFORMANCE / "fixes.yaml").read_text("utf-8"))["cases"]


EVERY = Choice()


def fix(text: str, *, path: str = "case.yaml", unsafe: bool = False, choice: Choice = EVERY) -> str:
    return Fixer(path, choice, unsafe).fix(text).text


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_fixed(case: dict[str, Any]) -> None:
    safe = case.get("safe", case["text"])
    assert fix(case["text"]) == safe
    assert fix(case["text"], unsafe=True) == case.get("unsafe", safe)


def _texts() -> Iterator[tuple[str, str, str]]:
    """Every text that the tests and the pages of the checks know, with its name and its path."""
    yield from ((case["id"], "case.yaml", case["text"]) for case in CASES)
    for name in ("load_errors.yaml", "ignores.yaml"):
        for case in yaml.safe_load((CONFORMANCE / name).read_text("utf-8"))["cases"]:
            yield f"{name} {case['id']}", "case.yaml", case["ruleset"]
    for module in all_checks():
        for number, block in enumerate(re.findall(r"(?:^ {4}.*\n)+", module.__doc__ or "", re.MULTILINE)):
            text = re.sub("^    ", "", block, flags=re.MULTILINE)
            yield f"{module.CHECK.code} {number}", "case.yaml", text
    folder = Path(__file__).parents[1] / "checks"
    for path in sorted(folder.rglob("*.yaml")):
        text, problems = decode(path.read_bytes())
        if not problems:
            yield path.relative_to(folder).as_posix(), str(path), text


TEXTS = [pytest.param(path, text, id=name) for name, path, text in _texts()]


def _errors(path: str, text: str) -> Counter[tuple[str, str]]:
    found = check_file(path, text).diagnostics
    return Counter((d.code, d.message) for d in found if d.severity == "error")


def _promises(path: str, text: str, unsafe: bool) -> None:
    fixer = Fixer(path, EVERY, unsafe)
    fixed = fixer.fix(text)
    assert fixer.fix(fixed.text).text == fixed.text, "fixing twice changes nothing"
    assert not _errors(path, fixed.text) - _errors(path, text), "no new error"
    assert bool(fixed.mended) == (fixed.text != text)


@pytest.mark.parametrize("unsafe", [False, True], ids=["safe", "unsafe"])
@pytest.mark.parametrize(("path", "text"), TEXTS)
def test_promises(path: str, text: str, unsafe: bool) -> None:
    _promises(path, text, unsafe)


@pytest.mark.parametrize(("path", "text"), TEXTS)
def test_comments_stay(path: str, text: str) -> None:
    """But for comments that silence nothing: taking those out is what their fix is for."""
    comments = re.findall(r"(?<=[ \n])#(?! ?dcc:)[^\n]*", text)
    fixed = fix(text, path=path, unsafe=True)
    assert all(comment in fixed for comment in comments)


_WORDS = st.sampled_from(
    ["life_cycle", "user", "born", "null", "feilds", "compact", "fields", "extends", "match", "of", "end",
     "&a ", "*a", "<<", "on", "010", "1_0", "!x ", "| ", "- ", ": ", "\n", "  ", "[", "]", "{", "}", ", ",
     '"', "'", " # why", " # dcc: ignore[DCC101]", "目标", "\r\n", "a: 1\n", "a: 1, "]
)  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(st.lists(_WORDS, max_size=40).map("".join))
def test_promises_of_any_text(text: str) -> None:
    _promises("case.yaml", text, unsafe=True)


def test_only_chosen_checks_are_fixed() -> None:
    text = "canon: {surface: on}\nlife_cycle: {10: [born, null]}\n"
    assert fix(text, choice=Choice(ignore=("DCC006",))) == 'canon: {surface: on}\nlife_cycle: {"10": [born, null]}\n'
    assert fix(text, choice=Choice(select=("DCC006",))) == "canon: {surface: true}\nlife_cycle: {10: [born, null]}\n"


def test_another_file_is_not_touched(tmp_path: Path) -> None:
    (tmp_path / "base.yaml").write_text("canon: {surface: on}\n")
    path = str(tmp_path / "main.yaml")
    fixed = Fixer(path, EVERY).fix("extends: [base.yaml]\n")
    assert (fixed.text, fixed.mended) == ("extends: [base.yaml]\n", ())
    assert [d.path for d in fixed.left] == [str(tmp_path / "base.yaml")]


def test_many_fixes_of_which_one_cannot_be_made() -> None:
    bad = "compcat: {fields: [user]}\n"
    many = "".join(f"  e{n}: {{of: toolResult, match: {{tool: on}}}}\n" for n in range(60))
    fixed = Fixer("case.yaml", EVERY, True).fix(f"{bad}life_cycle:\n{many}")
    assert len(fixed.mended) == 60
    assert fixed.text.startswith(bad)


def test_edits_are_made_from_the_places_of_the_old_text() -> None:
    def edit(start: int, end: int, text: str) -> Edit:
        return Edit(Position(1, start + 1, start), Position(1, end + 1, end), text)

    assert apply_edits("abcdef", [edit(4, 5, "E"), edit(1, 1, "-"), edit(2, 3, "")]) == "a-bdEf"


@pytest.mark.parametrize(
    ("text", "titles", "help"),
    [
        ("canon: yes\n", ["write {}"], "write {}: the section as it is when nothing else is said"),
        ("pruning: off\n", [], "write a mapping here"),
        ("recall: {top_k: yes}\n", [], "write a whole number here"),
        ("canon: {surface: yes}\n", ["write true", "put it in quotes"], "write true or false, or quote it"),
    ],
)
def test_a_word_for_a_boolean_is_mended_by_what_belongs_there(text: str, titles: list[str], help: str) -> None:
    (found,) = check_file("case.yaml", text).diagnostics
    assert [fix.title for fix in found.fixes] == titles
    assert found.help == help
