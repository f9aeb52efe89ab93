"""``dcc compile``: the program, its table, and a ruleset that has errors."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dcc.cli.entry import run
from dcc.compiler.load import load_program
from dcc.compiler.program import Program


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_summary(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["compile", "standard"]) == 0
    assert capsys.readouterr().out.startswith("standard: 10 elements, 0 refinements, digest ")


def test_the_program_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["compile", "standard", "--format", "json"]) == 0
    assert Program.from_json(capsys.readouterr().out) == load_program("standard")


def test_the_program_in_a_file() -> None:
    assert run(["compile", "standard", "-o", "out.json"]) == 0
    assert Program.from_json(Path("out.json").read_text("utf-8")) == load_program("standard")


def test_a_file_that_cannot_be_written(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["compile", "standard", "-o", "no/such/out.json"]) == 2
    assert "cannot write" in capsys.readouterr().err


def test_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.yaml").write_text("life_cycle: {note: [born, until_goal_end]}\n")
    assert run(["compile", "a.yaml", "--table", "--turns", "2"]) == 0
    out = capsys.readouterr().out
    assert "born 2" in out
    assert "born 3" not in out
    assert "until goal ends" in out


def test_the_table_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["compile", "standard", "--table", "--turns", "3", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["turns"] == 3


def test_a_ruleset_with_errors(capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.yaml").write_text("life_cycle: {user: [born]}\n")
    assert run(["compile", "a.yaml"]) == 1
    assert "DCC202" in capsys.readouterr().err


def test_a_ruleset_that_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["compile", "standrad"]) == 2
    assert "did you mean `standard`?" in capsys.readouterr().err
