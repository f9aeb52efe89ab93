"""``dcc canon graph`` from the command line: where the page goes, what is said of it, exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dcc.cli.entry import run


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with an article, its asset and an entry about it, which is the current folder."""
    folder = tmp_path / "proj"
    for name, text in {
        ".canon/articles/src/config.md": "---\ncapsule: Env wins.\n---\n# Config\n",
        ".canon/journal/2026-08-01-a.md": "---\nsubject: [src/config]\n---\nIt was 42.\n",
        "src/config.ts": "",
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return folder


def test_a_page_is_written_and_told_of(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["canon", "graph"]) == 0
    assert capsys.readouterr().out == "Wrote canon.html: 1 article, 1 journal entry, 1 asset, 2 edges.\n"
    page = (project / "canon.html").read_text()
    assert page.startswith("<!doctype html>")
    assert "Env wins." in page


def test_the_reply_as_json(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["canon", "graph", "-o", "out.html", "--json"]) == 0
    reply = json.loads(capsys.readouterr().out)
    assert (reply["schema_version"], reply["code"], reply["address"]) == (1, "graph", "")
    assert reply["data"] == {
        "file": str(project / "out.html"), "articles": 1, "entries": 1, "assets": 1, "edges": 2
    }  # fmt: skip


def test_a_page_on_standard_output(project: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    assert run(["canon", "graph", "-o", "out.html"]) == 0
    capsysbinary.readouterr()
    assert run(["canon", "graph", "-o", "-"]) == 0
    assert capsysbinary.readouterr().out == (project / "out.html").read_bytes()


def test_the_page_names_no_folder_of_the_machine(project: Path) -> None:
    assert run(["canon", "graph"]) == 0
    assert str(project.parent) not in (project / "canon.html").read_text()


def test_an_empty_project_has_a_page_too(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert run(["canon", "graph", "-C", str(tmp_path / "empty"), "-o", str(tmp_path / "e.html")]) == 0
    assert (tmp_path / "e.html").is_file()
    assert list((tmp_path / "empty").iterdir()) == []


@pytest.mark.parametrize(
    "wrong", [["-o", "no/such/folder.html"], ["-o", "src"], ["-o", "-", "--json"], ["-C", "none"]]
)
def test_wrong_usage(capsys: pytest.CaptureFixture[str], wrong: list[str]) -> None:
    assert run(["canon", "graph", *wrong]) == 2
    assert capsys.readouterr().err.startswith("dcc: ")
