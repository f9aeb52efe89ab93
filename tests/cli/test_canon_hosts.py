"""``dcc canon install`` and ``trace``, and ``dcc mcp``, from the command line."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from dcc.cli.entry import run


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "proj"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in ("DCC_CANON_TRACE", "PI_CANON_TRACE", "CODEX_HOME", "CLAUDE_CONFIG_DIR"):
        monkeypatch.delenv(name, raising=False)
    return folder


@pytest.mark.parametrize(("host", "file"), [("claude-code", ".claude/settings.json"), ("codex", ".codex/hooks.json")])
def test_install_shows_then_writes_and_removes(
    project: Path, capsys: pytest.CaptureFixture[str], host: str, file: str
) -> None:
    assert run(["canon", "install", host, "--dry-run"]) == 0
    shown = capsys.readouterr().out
    assert f"+++ {project / file}" in shown
    assert not (project / file).exists()
    assert run(["canon", "install", host]) == 0
    written = capsys.readouterr().out
    assert written.startswith(shown)
    assert f"wrote {project / file}" in written
    assert f"canon hook --caller {host}" in (project / file).read_text()
    assert run(["canon", "install", host]) == 0
    assert capsys.readouterr().out == "nothing to change\n"
    assert run(["canon", "install", host, "--remove"]) == 0
    taken_out = capsys.readouterr().out
    assert f"--- {project / file}\n+++ /dev/null\n" in taken_out
    assert f"removed {project / file}\n" in taken_out
    assert not (project / file).exists()


@pytest.mark.parametrize("host", ["claude-code", "codex"])
def test_install_says_what_the_server_still_needs(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, host: str
) -> None:
    monkeypatch.setattr("dcc.cli.canon.install.find_spec", lambda name: None)
    assert run(["canon", "install", host]) == 0
    assert "pip install 'dcc-context[mcp]'" in capsys.readouterr().err
    assert run(["canon", "install", host, "--remove"]) == 0
    assert capsys.readouterr().err == ""


def test_install_for_the_user(project: Path, tmp_path: Path) -> None:
    assert run(["canon", "install", "codex", "--user", "--command", "/opt/dcc"]) == 0
    assert "/opt/dcc canon hook" in (tmp_path / "home/.codex/hooks.json").read_text()
    assert list(project.iterdir()) == []


def test_install_in_a_file_that_cannot_be_read(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / ".mcp.json").write_text("{ half")
    assert run(["canon", "install", "claude-code"]) == 1
    assert "not valid JSON" in capsys.readouterr().err
    assert not (project / ".claude").exists()
    assert run(["canon", "install", "emacs"]) == 2


def test_a_trace_is_shown_line_by_line_and_counted(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run(["canon", "trace"]) == 2
    at = "2025-01-01T00:00:00.000Z"
    rows = [{"at": at, "kind": kind, "path": "src/a"} for kind in ("staged", "staged", "flushed")]
    file = project / "trace.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows) + "half a l\n")
    monkeypatch.setenv("DCC_CANON_TRACE", str(file))
    capsys.readouterr()
    assert run(["canon", "trace"]) == 0
    out, err = capsys.readouterr()
    assert out.count("path=src/a") == 3
    assert out.endswith("staged 2, flushed 1\n")
    assert err == "1 line cannot be read\n"
    assert run(["canon", "trace", str(file), "--kind", "flushed", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["schema_version"], document["kinds"], document["damaged"]) == (1, {"flushed": 1}, 1)
    assert run(["canon", "trace", "none.jsonl"]) == 2


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes of Unix")
def test_a_trace_that_has_no_end_is_not_waited_for(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    os.mkfifo(project / "pipe")
    assert run(["canon", "trace", "pipe"]) == 2
    assert run(["canon", "trace", "/dev/zero"]) == 2
    assert "/dev/zero is a device" in capsys.readouterr().err
    (project / "deep").write_text("[" * 100_000 + "\n{}\n")
    assert run(["canon", "trace", "deep"]) == 0
    assert capsys.readouterr().err == "1 line cannot be read\n"


def test_a_server_is_told_what_to_serve(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["mcp"]) == 2
    assert "--canon" in capsys.readouterr().err
    assert run(["mcp", "--canon", "--cwd", "none"]) == 2


def test_a_scenario_with_a_canon_section_is_played(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "src").mkdir()
    (project / "src/a.py").touch()
    (project / "rules.yaml").write_text("extends: [standard]\ncanon: {}\n")
    write = {"action": "write", "path": "src/a.py", "capsule": "A is first.", "body": "# A"}
    calls = [
        {"assistant": {"tool_calls": [{"id": "c1", "name": "canon", "arguments": write}]}},
        {
            "assistant": {"tool_calls": [{"id": "c2", "name": "edit", "arguments": {"path": "src/a.py"}}]},
            "results": [{"id": "c2", "content": "ok"}],
        },
        {"assistant": {"text": "Done."}},
    ]
    steps = [{"user": "Go.", "calls": calls}, {"do": [{"close": "toolCall@1"}]},
             {"user": "Again.", "calls": [{**calls[1], "assistant": {"tool_calls": [
                 {"id": "c2", "name": "read", "arguments": {"path": "src/a.py"}}]}}, calls[2]]},
             {"user": "/canon", "reply": ""}]  # fmt: skip
    (project / "play.json").write_text(json.dumps({"ruleset": "rules.yaml", "steps": steps}))
    assert run(["play", "play.json", "--format", "json"]) == 0
    played = json.loads(capsys.readouterr().out)["steps"]
    held = [[shown["slot"] for shown in call["visible"]] for call in played[2]["calls"]]
    assert "canon@2" in held[0]
    assert "canon@2.2" in held[1]
    assert "canon@2.2" not in held[0]
    assert "1 article, " in played[3]["output"]
