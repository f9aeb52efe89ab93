"""``dcc canon search`` from the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dcc.cli.entry import run


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with two articles and an entry, and a mount with one."""
    (tmp_path / "lake").mkdir()
    folder = tmp_path / "proj"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    lake = ["--mount", str(tmp_path / "lake")]
    assert run(["canon", "write", "billing", "--capsule", "账单在月底结算。", "--body", "x"]) == 0
    assert run(["canon", "write", "ops/deploy", "--capsule", "Deploys run at night.", "--body", "x"]) == 0
    assert run(["canon", "write", "lake:prices", "--capsule", "Deploys of prices.", "--body", "x", *lake]) == 0
    assert run(["canon", "journal", "A deploys backlog of 42.", "-s", "ops/deploy"]) == 0
    return folder


def search(capsys: pytest.CaptureFixture[str], *args: str, code: int = 0) -> dict[str, Any]:
    capsys.readouterr()
    assert run(["canon", "search", *args, "--json"]) == code
    reply: dict[str, Any] = json.loads(capsys.readouterr().out)
    return reply


def addresses(reply: dict[str, Any]) -> list[str]:
    return [one["address"] for one in reply["data"]["articles"]]


def test_articles_by_words(capsys: pytest.CaptureFixture[str]) -> None:
    assert addresses(search(capsys, "deploys", "night")) == ["ops/deploy"]
    assert addresses(search(capsys, "月底")) == ["billing"]
    assert search(capsys, "zzzz")["code"] == "no_match"
    assert search(capsys, " ", code=1)["code"] == "no_query"


def test_the_journal_and_a_mount(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert [one["subjects"] for one in search(capsys, "backlog", "--journal")["data"]["journal"]] == [["ops/deploy"]]
    lake = ["--mount", str(tmp_path / "lake"), "--path", "lake:"]
    assert addresses(search(capsys, "deploys", *lake)) == ["lake:prices"]


def test_searching_writes_nothing_into_the_project(capsys: pytest.CaptureFixture[str], project: Path) -> None:
    before = sorted(project.rglob("*"))
    search(capsys, "deploys", "--journal")
    assert sorted(project.rglob("*")) == before


def test_lines_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert run(["canon", "search", "night"]) == 0
    assert capsys.readouterr().out.startswith("ops/deploy: Deploys run at night.\n")
