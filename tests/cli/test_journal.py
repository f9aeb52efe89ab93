"""``dcc journal``: the last transactions of a stored session."""

from __future__ import annotations

import json
from pathlib import Path

import governed
import pytest

from dcc.cli.entry import run
from dcc.runtime.store.sqlite import SqliteStore

CHAIN = ["toolCall@1", "toolResult@1"]


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "sessions.db"
    monkeypatch.setenv("DCC_STORE", str(path))
    with governed.governed(store=SqliteStore(path, "one")) as session:
        governed.operate(session, {"op": "set_visibility", "ids": CHAIN})
        governed.operate(session, {"op": "set_visibility", "ids": ["toolResult@1.2"]}, {"op": "mend", "ids": []})
        governed.operate(session, {"op": "redact", "ids": ["toolResult@1.2"], "drop": ["token"]})
    return path


@pytest.mark.usefixtures("store")
def test_as_text(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["journal", "one"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("turn 2, agent: 1 applied, ")
    assert lines[1:3] == [
        "   asked    set_visibility toolCall@1, toolResult@1", "   changed  toolCall@1, toolResult@1",
    ]  # fmt: skip
    assert lines[3].startswith("   state    ")
    assert lines[4] == "turn 2, agent: refused: unknown_op - to see what happens"
    assert lines[5].startswith("   unknown_op [1]: no operation 'mend'")
    assert "redact toolResult@1.2" in capsys.readouterr().out + "\n".join(lines)


@pytest.mark.usefixtures("store")
def test_as_json_and_only_the_last(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["journal", "one", "--format", "json", "-n", "2"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert (shown["schema_version"], shown["session"]) == (1, "one")
    refused, redacted = shown["transactions"]
    assert (refused["ok"], refused["transaction"], [r["rule"] for r in refused["rejections"]]) == (
        False, None, ["unknown_op"],
    )  # fmt: skip
    assert refused["before"] == refused["after"]
    assert redacted["ok"]
    assert redacted["before"] != redacted["after"]
    assert {"actor", "reason", "operations", "freed", "turn", "slots", "undone"} <= redacted.keys()


def test_a_session_without_transactions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DCC_STORE", str(tmp_path / "none.db"))
    governed.governed(store=SqliteStore(tmp_path / "none.db", "one"))._recorder.close()
    assert run(["journal", "one"]) == 0
    assert capsys.readouterr().out == "nothing was done to the context yet\n"


@pytest.mark.usefixtures("store")
def test_a_session_that_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["journal", "another"]) == 2
    assert "another" in capsys.readouterr().err
