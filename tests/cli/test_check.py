"""``dcc check``: paths, folders, standard input, formats and exit codes."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from dcc.cli.entry import run

BAD = "life_cycle:\n  user: [born]\n"
WARNED = "life_cycle: {a: [born, cycle]}\n"


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)


def _json(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    return document


def test_a_good_file(capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.yaml").write_text("life_cycle: {user: [born, null]}\n")
    assert run(["check", "a.yaml"]) == 0
    assert capsys.readouterr().out == "no findings in 1 file\n"


def test_a_bad_file(capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.yaml").write_text(BAD)
    assert run(["check", "a.yaml", "--format", "concise"]) == 1
    assert capsys.readouterr().out.startswith("a.yaml:2:9: error DCC202 not-a-pair: ")


def test_warnings_alone_are_fine(capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.yaml").write_text(WARNED)
    assert run(["check", "a.yaml", "--format", "json"]) == 0
    assert [d["severity"] for d in _json(capsys)["diagnostics"]] == ["warning"]


def test_a_shipped_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", "standard"]) == 0


def test_standard_input(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(BAD.encode())))
    assert run(["check", "-", "--stdin-filename", "buffer.yaml", "--format", "json"]) == 1
    document = _json(capsys)
    assert (document["files"], document["diagnostics"][0]["path"]) == (1, "buffer.yaml")


def test_a_folder_holds_other_yaml_too(capsys: pytest.CaptureFixture[str]) -> None:
    Path("rules/.hidden").mkdir(parents=True)
    Path("rules/good.yaml").write_text("life_cycle: {}\n")
    Path("rules/bad.yml").write_text(BAD)
    Path("rules/scenario.yaml").write_text("steps:\n- {user: hello, reply: hi}\n")
    Path("rules/pipeline.yaml").write_text("steps:\n- script: make\n")
    Path("rules/compose.yaml").write_text("services: {web: {image: x}}\n")
    Path("rules/.hidden/bad.yaml").write_text(BAD)
    assert run(["check", "rules", "--format", "json"]) == 1
    document = _json(capsys)
    assert document["files"] == 3
    assert [d["path"] for d in document["diagnostics"]] == ["rules/bad.yml"]


def test_no_path_is_the_current_folder(capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.yaml").write_text(BAD)
    assert run(["check", "--format", "json"]) == 1
    assert [d["path"] for d in _json(capsys)["diagnostics"]] == ["a.yaml"]


def test_a_scenario_is_checked_too(capsys: pytest.CaptureFixture[str]) -> None:
    Path("s.yaml").write_text("ruleset: standrad\nsteps: [{user: hello}]\n")
    assert run(["check", "s.yaml", "--format", "json"]) == 1
    assert [d["name"] for d in _json(capsys)["diagnostics"]] == ["no-ruleset"]


@pytest.mark.parametrize("path", ["missing.yaml", "a\0b"])
def test_an_unreadable_path(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.yaml").write_text(BAD)
    assert run(["check", path, "a.yaml"]) == 2
    captured = capsys.readouterr()
    assert "cannot read" in captured.err
    assert "DCC202" in captured.out


@pytest.mark.parametrize(
    ("path", "mend"),
    [
        ("Standard", "did you mean `standard`?"),
        ("missing.yaml", "name a file or a folder that is there"),
    ],
)
def test_a_path_that_is_not_there_is_told_with_its_mend(
    path: str, mend: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["check", path]) == 2
    assert capsys.readouterr().err == f"dcc check: cannot read {path}: no such file or directory\nhelp: {mend}\n"


def test_a_path_without_a_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", ""]) == 2
    assert "cannot read '': a path has a name" in capsys.readouterr().err


@pytest.mark.parametrize(
    "data", [b"\xff\xfea\x00", b"\x00\x01", b"a: [", b"", b"\x89PNG\r\n\x1a\n", b"a: &a [*a]", b"[" * 9999]
)
@pytest.mark.parametrize("format", ["text", "concise", "json", "sarif", "github", "junit"])
def test_any_bytes_in_any_format(data: bytes, format: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("x.yaml").write_bytes(data)
    assert run(["check", "x.yaml", "--format", format]) == (1 if data else 0)
    assert "DCC" in capsys.readouterr().out


def test_findings_are_sorted_by_path_and_place(capsys: pytest.CaptureFixture[str]) -> None:
    Path("b.yaml").write_text(BAD + "compcat: 1\n")
    Path("a.yaml").write_text(BAD)
    run(["check", "b.yaml", "a.yaml", "--format", "json"])
    found = [(d["path"], d["start"]["line"]) for d in _json(capsys)["diagnostics"]]
    assert found == [("a.yaml", 2), ("b.yaml", 2), ("b.yaml", 3)]


def test_an_excerpt_of_an_extended_file(capsys: pytest.CaptureFixture[str]) -> None:
    Path("base.yaml").write_text(BAD)
    Path("main.yaml").write_text("extends: [base.yaml]\n")
    assert run(["check", "main.yaml"]) == 1
    assert "2 |   user: [born]" in capsys.readouterr().out


def test_a_wrong_option(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", "--format", "xml"]) == 2
    assert run(["chekc"]) == 2
