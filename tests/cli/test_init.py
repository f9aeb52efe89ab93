"""``dcc init``, ``dcc rules`` and ``dcc schema``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dcc.cli.entry import run
from dcc.compiler.check import all_checks


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_init_writes_a_ruleset_that_checks_clean_and_compiles(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["init"]) == 0
    assert capsys.readouterr().out.splitlines()[0] == "wrote runtime.yaml"
    assert run(["check", "runtime.yaml", "--fail-on", "info"]) == 0
    assert run(["compile", "runtime.yaml"]) == 0


def test_init_names_the_ruleset_after_its_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["init", "my-rules.yaml"]) == 0
    assert 'name: "my-rules"\n' in Path("my-rules.yaml").read_text(encoding="utf-8")
    assert run(["check", "my-rules.yaml", "--fail-on", "info"]) == 0


@pytest.mark.parametrize(("file", "says"), [("taken.yaml", "there already"), ("no/folder.yaml", "no folder")])
def test_init_overwrites_nothing(file: str, says: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("taken.yaml").write_text("mine")
    assert run(["init", file]) == 2
    assert says in capsys.readouterr().err
    assert Path("taken.yaml").read_text() == "mine"


def test_rules_lists_every_check(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["rules"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[:2] for line in lines] == [[m.CHECK.code, m.CHECK.name] for m in all_checks()]


def test_rules_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["rules", "--format", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["schema_version"] == 1
    (found,) = [check for check in document["checks"] if check["code"] == "DCC205"]
    page = found.pop("page")
    assert page.startswith("A rule does not end before it starts.\n\n## What it finds\n")
    assert found == {
        "code": "DCC205",
        "name": "end-before-start",
        "severity": "error",
        "kind": "time",
        "since": "0.1.0",
        "rule": "A rule does not end before it starts.",
    }


@pytest.mark.parametrize(("args", "title"), [([], "dcc ruleset"), (["scenario"], "dcc scenario")])
def test_schema_prints_a_schema(args: list[str], title: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["schema", *args]) == 0
    assert json.loads(capsys.readouterr().out)["title"] == title
