"""``dcc canon`` from the command line: replies, exit codes, JSON, and what lint finds in a store."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any, BinaryIO

import pytest

from dcc.cli.entry import run
from dcc.compiler.canon.lint import every_check, store_checks


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with one asset, which is the current folder; the user has no settings."""
    folder = tmp_path / "proj"
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "config.ts").touch()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return folder


def canon(capsys: pytest.CaptureFixture[str], *args: str, code: int = 0) -> dict[str, Any]:
    """The reply of a verb, as JSON."""
    capsys.readouterr()
    assert run(["canon", *args, "--json"]) == code
    reply: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert set(reply) == {"schema_version", "code", "address", "text", "data"}
    assert reply["schema_version"] == 1
    return reply


def test_an_article_from_end_to_end(capsys: pytest.CaptureFixture[str]) -> None:
    assert canon(capsys, "init")["code"] == "initialised"
    wrote = canon(capsys, "write", "src/config.ts", "--capsule", "Env wins.", "--body", "# Config")
    assert (wrote["code"], wrote["address"]) == ("wrote", "src/config")
    logged = canon(capsys, "journal", "It was 42.", "-s", "src/config.ts", "--slug", "供应商限额")
    assert logged["data"]["name"].endswith("-供应商限额.md")
    read = canon(capsys, "read", "src/config/deep.ts")
    assert (read["code"], read["address"]) == ("governed", "src/config")
    assert read["data"]["journal"] == [logged["data"]["name"]]
    assert canon(capsys, "map")["data"]["articles"] == [{"address": "src/config", "capsule": "Env wins."}]
    assert canon(capsys, "status")["data"]["articles"] == 1


def test_texts_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["canon", "write", "a", "--capsule", "C.", "--body", "x"]) == 0
    assert capsys.readouterr().out.startswith("Wrote a.")
    assert run(["canon", "read", "b"]) == 1
    assert "b" in capsys.readouterr().err


def test_a_path_outside_is_told_to_people_and_in_json(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line = f"../out.ts lies outside of {project}: as an address it is out."
    assert run(["canon", "write", "../out.ts", "--capsule", "C."]) == 0
    assert line in capsys.readouterr().out.splitlines()
    for verb in (["read", "../out.ts"], ["map", "../out.ts"], ["journal", "x", "-s", "../out.ts"]):
        assert canon(capsys, *verb)["data"]["outside"] == {"../out.ts": "out"}
    assert line in canon(capsys, "restore", "../out.ts", code=1)["text"]


def test_a_part_of_a_project_is_told_of_the_store_above(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    note = f"note: . has no store, and {project} has one: name the project with --cwd {project}\n"
    assert run(["canon", "write", "src/config.ts", "--capsule", "C."]) == 0
    assert capsys.readouterr().err == ""
    monkeypatch.chdir(project / "src")
    assert run(["canon", "map"]) == 0
    assert capsys.readouterr().err == note
    assert run(["canon", "map", "--cwd", str(project), "--json"]) == 0
    assert capsys.readouterr().err == ""
    (project / "src/.git").touch()
    assert run(["canon", "map"]) == 0
    assert capsys.readouterr().err == ""


def given(data: bytes | BinaryIO, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put something on standard input; where it is UTF-8 or not, Python takes it for ASCII."""
    raw = io.BytesIO(data) if isinstance(data, bytes) else data
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(raw, encoding="ascii"))


@pytest.mark.parametrize("data", [b"# From input\n", b"\xef\xbb\xbf# From input\r\n"])
def test_a_body_from_standard_input(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, data: bytes
) -> None:
    given(data, monkeypatch)
    canon(capsys, "write", "a", "--body", "-")
    assert canon(capsys, "read", "a")["data"]["body"] == "# From input"
    given("第一行\r\n第二行\r第三行".encode(), monkeypatch)
    canon(capsys, "journal", "-", "--slug", "x")
    (entry,) = Path(".canon/journal").iterdir()
    assert entry.read_bytes().decode().endswith("---\n第一行\n第二行\n第三行\n")


@pytest.mark.parametrize("verb", [["write", "a", "--body", "-"], ["journal", "-"]])
def test_standard_input_that_no_store_takes_is_wrong_usage(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, project: Path, verb: list[str]
) -> None:
    with Path("/dev/zero").open("rb") as endless:
        given(endless, monkeypatch)
        assert run(["canon", *verb]) == 2
    assert "standard input has more than 16777216 bytes" in capsys.readouterr().err
    given(b"ab\xffc", monkeypatch)
    assert run(["canon", *verb]) == 2
    assert "standard input is not UTF-8 at byte 2" in capsys.readouterr().err
    assert not (project / ".canon").exists()


def test_a_base_and_a_restore(capsys: pytest.CaptureFixture[str]) -> None:
    base = canon(capsys, "write", "a", "--body", "one")["data"]["base"]
    assert canon(capsys, "write", "a", "--body", "two", "--base", base)["code"] == "wrote"
    assert canon(capsys, "write", "a", "--body", "three", "--base", base, code=1)["code"] == "stale"
    assert len(canon(capsys, "restore", "a", "--list")["data"]["versions"]) == 1
    assert canon(capsys, "restore", "a")["code"] == "restored"
    assert canon(capsys, "read", "a")["data"]["body"] == "one"


def test_reading_only(capsys: pytest.CaptureFixture[str], project: Path) -> None:
    assert canon(capsys, "write", "a", "--body", "x", "--read-only", code=1)["code"] == "read_only"
    assert not (project / ".canon").exists()


def test_a_store_elsewhere_and_a_mount(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "lake").mkdir()
    where = ["--root", "docs/canon", "--mount", str(tmp_path / "lake")]
    assert canon(capsys, "write", "lake:prices", "--body", "x", *where)["address"] == "lake:prices"
    assert (tmp_path / "lake/.canon/articles/prices.md").is_file()
    assert canon(capsys, "status", *where)["data"]["root"].endswith("docs/canon")
    assert run(["canon", "map", "--cwd", str(tmp_path / "none")]) == 2


def test_settings_are_read_and_changed(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert canon(capsys, "settings")["data"]["settings"]["standout"] == 1.4
    canon(capsys, "settings", "standout", "2")
    canon(capsys, "settings", "surface", "off")
    written = json.loads((tmp_path / "config/dcc/canon.json").read_text())
    assert written == {"standout": 2, "surface": False}
    canon(capsys, "settings", "standout", "default")
    assert canon(capsys, "settings", "standout")["data"]["settings"] == {"standout": 1.4}
    for wrong in (("standout", "0.5"), ("retrieval", "bm25"), ("root", "x")):
        assert run(["canon", "settings", *wrong]) == 1


def test_settings_of_the_original_are_read(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    theirs = tmp_path / "config/pi-canon/settings.json"
    theirs.parent.mkdir(parents=True)
    theirs.write_text('{"retrieval": "lexical"}')
    assert canon(capsys, "settings", "retrieval")["data"]["settings"] == {"retrieval": "lexical"}
    theirs.write_text("{")
    assert run(["canon", "status"]) == 1
    assert "settings.json" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (["restore", "x" * 300], "bad_address"),
        (["write", "x" * 300, "--body", "y"], "bad_address"),
        (["settings", "standout", "0.5"], "bad_option"),
        (["settings", "colour"], "unknown_option"),
        (["settings", "colour", "red"], "unknown_option"),
        (["settings", "colour", "default"], "unknown_option"),
    ],
)
def test_what_is_refused_is_json_too(capsys: pytest.CaptureFixture[str], args: list[str], code: str) -> None:
    assert canon(capsys, *args, code=1)["code"] == code


@pytest.mark.parametrize(
    ("value", "written"),
    [("2", 2), ("1.5", 1.5), ("1e2", 100.0), ("1_0", None), ("\uff12", None), ("9" * 400, None), ("1e999", None),
     ("0x2", None), ("inf", None), ("", None)],
)  # fmt: skip
def test_a_number_is_typed_with_digits(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, value: str, written: float | None
) -> None:
    assert run(["canon", "settings", "standout", value]) == (1 if written is None else 0)
    file = tmp_path / "config/dcc/canon.json"
    assert (json.loads(file.read_text())["standout"] if file.exists() else None) == written
    assert len(capsys.readouterr().err) < 200


def test_settings_behind_a_link_stay_there(tmp_path: Path) -> None:
    (tmp_path / "config/dcc").mkdir(parents=True)
    (tmp_path / "dotfiles.json").write_text('{"surface": false}')
    (tmp_path / "config/dcc/canon.json").symlink_to(tmp_path / "dotfiles.json")
    assert run(["canon", "settings", "standout", "2"]) == 0
    assert json.loads((tmp_path / "dotfiles.json").read_text()) == {"surface": False, "standout": 2}
    assert (tmp_path / "config/dcc/canon.json").is_symlink()


@pytest.mark.parametrize("args", [["status"], ["map"], ["settings"], ["read", "a"], ["graph"]])
def test_settings_that_cannot_be_read_are_told_of_in_json(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, args: list[str]
) -> None:
    (tmp_path / "config/dcc").mkdir(parents=True)
    (tmp_path / "config/dcc/canon.json").write_text("{")
    assert canon(capsys, *args, code=1)["code"] == "bad_settings"


# Lint.

FILES = {
    "articles/café.md": "---\ncapsule: C.\n---\nx\n",
    "articles/cafe\u0301.md": "---\ncapsule: C.\n---\nx\n",
    "articles/twice.md": "---\ncapsule: Old.\ncapsule: New.\n---\nx\n",
    "articles/ops/logs/a.md": "---\ncapsule: Added paging.\n---\nSee [[gone]].\n",
    "articles/src/lost.md": "# Lost\n",
    "articles/long.md": f"---\ncapsule: {'c' * 1001}\n---\n{'x' * 20_001}\n",
    "articles/dense.md": f"---\ncapsule: C.\n---\n{'x' * 8_001}\n",
    "articles/src.md": "---\ncapsule: C.\n---\nAll of it.\n",
    "articles/SRC.md": "---\ncapsule: C.\n---\nx\n<<<<<<< HEAD\none\n=======\ntwo\n>>>>>>> other\n",
    "journal/2025-01-01-x.md": "We raised the cap.\n",
}
SCHEMA = {
    "schema_version": 1,
    "article": {"title": {"required": True}, "body": {"min_chars": 2}},
    "relations": {"orphan": {"warn": True}, "children": {"listed": True}},
}


def fill(project: Path) -> None:
    for name, text in FILES.items():
        path = project / ".canon" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (project / ".canon/articles/binary.md").write_bytes(b"\xff\xfe")


def lint(capsys: pytest.CaptureFixture[str], *args: str, code: int = 0) -> list[dict[str, Any]]:
    capsys.readouterr()
    assert run(["canon", "lint", "--format", "json", *args]) == code
    found: list[dict[str, Any]] = json.loads(capsys.readouterr().out)["diagnostics"]
    return found


def test_lint_finds_everything_that_it_has_a_page_for(capsys: pytest.CaptureFixture[str], project: Path) -> None:
    fill(project)
    found = {one["name"] for one in lint(capsys, code=1)}
    (project / ".canon/schema.json").write_text(json.dumps(SCHEMA))
    found |= {one["name"] for one in lint(capsys, code=1)}
    (project / ".canon/articles/src/lost.md").write_text("---\ncapsule: C.\n---\nx\n")
    (project / ".canon/schema.json").unlink()
    found |= {one["name"] for one in lint(capsys, code=1)}
    assert found >= {module.CHECK.name for module in store_checks()}


def test_a_finding_stands_where_it_is(capsys: pytest.CaptureFixture[str], project: Path) -> None:
    fill(project)
    [dead] = lint(capsys, "--select", "dead-link")
    assert dead["path"] == ".canon/articles/ops/logs/a.md"
    assert (dead["start"]["line"], dead["start"]["column"], dead["end"]["column"]) == (4, 5, 13)
    [conflict] = lint(capsys, "--select", "merge-conflict", code=1)
    assert (conflict["start"]["line"], conflict["start"]["column"], conflict["end"]["column"]) == (5, 1, 8)
    [twice] = lint(capsys, "--select", "DCC753")
    assert (twice["start"]["line"], twice["end"]["column"]) == (3, len("capsule: New.") + 1)


def test_addresses_that_some_systems_do_not_tell_apart_are_told_of(
    capsys: pytest.CaptureFixture[str], project: Path
) -> None:
    for name in ("src/Config", "src/config", "SRC/config", "Straße", "STRASSE", "other"):
        path = project / f".canon/articles/{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("---\ncapsule: C.\n---\nx\n")
    if len(list((project / ".canon/articles").rglob("*.md"))) < 6:
        pytest.skip("a system that does not tell them apart")
    found = lint(capsys, "--select", "same-but-case", "--fail-on", "warning", code=1)
    names = [one["path"].removeprefix(".canon/articles/") for one in found]
    assert names == ["Straße.md", "src/Config.md", "src/config.md"]
    assert found[1]["message"] == "the address is SRC/config but for the case of its letters"


def test_a_store_that_is_mounted_twice_is_checked_once(capsys: pytest.CaptureFixture[str], project: Path) -> None:
    fill(project)
    once = lint(capsys, code=1)
    assert lint(capsys, "--mount", ".", "--mount", "src/..", "--mount", str(project), code=1) == once


def test_an_entry_of_two_branches_is_told_of(capsys: pytest.CaptureFixture[str], project: Path) -> None:
    (project / ".canon/journal").mkdir(parents=True)
    logged = "---\nlogged: 2025-01-01T00:00:00.000Z\n---\n"
    text = f"<<<<<<< HEAD\n{logged}One.\n=======\n{logged}Two.\n>>>>>>> other\n"
    (project / ".canon/journal/2025-01-01-entry.md").write_text(text)
    found = lint(capsys, "--select", "merge-conflict", code=1)
    assert [one["message"] for one in found] == ["the entry holds both sides of a merge"]


def test_lint_exits_as_it_is_asked(capsys: pytest.CaptureFixture[str], project: Path) -> None:
    fill(project)
    assert lint(capsys, "--select", "dead-link", "--fail-on", "warning", code=1)
    assert lint(capsys, "--ignore", "DCC7", "--fail-on", "info") == []
    assert run(["canon", "lint", "--select", "no-such-check"]) == 2


@pytest.mark.parametrize("format", ["text", "concise", "sarif", "github", "junit"])
def test_lint_prints_as_check_does(capsys: pytest.CaptureFixture[str], project: Path, format: str) -> None:
    fill(project)
    assert run(["canon", "lint", "--format", format]) == 1
    assert "leads to no article" in capsys.readouterr().out


def test_an_empty_project_has_no_findings(capsys: pytest.CaptureFixture[str], project: Path) -> None:
    assert lint(capsys) == []
    assert not (project / ".canon").exists()


def test_lint_checks_the_schema_too(capsys: pytest.CaptureFixture[str], project: Path) -> None:
    (project / ".canon").mkdir()
    (project / ".canon/schema.json").write_text('{"article": {"caps": {}}}')
    assert [one["name"] for one in lint(capsys, code=1)] == ["unknown-key"]


@pytest.mark.parametrize("module", store_checks(), ids=lambda module: module.CHECK.name)
def test_every_finding_of_a_store_has_a_page(capsys: pytest.CaptureFixture[str], module: Any) -> None:
    assert run(["explain", module.CHECK.name]) == 0
    page = capsys.readouterr().out
    assert [line[3:] for line in page.splitlines() if line.startswith("## ")] == [
        "What it finds", "Why it matters", "Example", "Instead", "Fix"
    ]  # fmt: skip


def test_codes_of_stores_are_no_others() -> None:
    checks = [module.CHECK for module in every_check()]
    assert len({check.code for check in checks}) == len({check.name for check in checks}) == len(checks)


@pytest.mark.parametrize("name", ["nosuch", "src/config.ts"])
def test_a_mount_that_is_no_folder_is_wrong_usage(capsys: pytest.CaptureFixture[str], name: str) -> None:
    assert run(["canon", "map", "--mount", name]) == 2
    assert f"{name} is no folder that can be mounted" in capsys.readouterr().err


def test_a_value_that_a_setting_cannot_have_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["canon", "settings", "standout", "NaN"]) == 1
    assert "this is 'NaN'" in capsys.readouterr().err


def test_an_article_of_nothing_is_not_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["canon", "write", "a", "--cwd", str(tmp_path)]) == 2
    assert "--capsule" in capsys.readouterr().err
    assert not list(tmp_path.rglob("*.md"))
