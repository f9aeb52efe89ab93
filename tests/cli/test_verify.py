"""``dcc verify``: exit 0 when a stored session is what its events say, 1 with the first difference."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest
from sessions import file_session, turn

from dcc.cli.entry import run


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "sessions.db"
    monkeypatch.setenv("DCC_STORE", str(path))
    with file_session(path) as session:
        turn(session, "hello", tool="a.py")
    return path


def test_a_whole_session(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    session = file_session(path)
    state = session.state_hash()
    session._recorder.store.close()
    assert run(["verify", "one"]) == 0
    assert f"all agree\nstate {state}\n" in capsys.readouterr().out
    assert run(["verify", "one", "--format", "json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert (shown["schema_version"], shown["ok"], shown["state_hash"], shown["difference"]) == (1, True, state, None)


def test_a_difference(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("UPDATE slots SET element = 'goal' WHERE id = 'user@1'")
    connection.close()
    assert run(["verify", "one"]) == 1
    assert "slot user@1 differs in 'element'" in capsys.readouterr().out
    assert run(["verify", "one", "--format", "json"]) == 1
    shown = json.loads(capsys.readouterr().out)
    assert (shown["ok"], shown["state_hash"]) == (False, None)
    assert "user@1" in shown["difference"]


def test_another_file(path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["verify", "one", "--store", str(tmp_path / "none.db")]) == 2
    assert "help:" in capsys.readouterr().err
