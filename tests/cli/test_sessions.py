"""``dcc sessions``, ``dcc status`` and ``dcc why`` over the file of sessions."""

from __future__ import annotations

import errno
import json
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from sessions import file_session, store_of, turn

from dcc.cli.entry import run
from dcc.runtime.errors import SessionError
from dcc.runtime.session import Reply, ToolCall

RECORDED = Path(__file__).parents[1] / "data" / "small_session.jsonl"


@pytest.fixture(autouse=True)
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file with one session of three turns, named by DCC_STORE."""
    path = tmp_path / "sessions.db"
    monkeypatch.setenv("DCC_STORE", str(path))
    with file_session(path, "20250101-aaaaaa") as session:
        for n in (1, 2, 3):
            turn(session, f"hello {n}", tool=f"{n}.py")
    return path


def answer(capsys: pytest.CaptureFixture[str], *args: str) -> str:
    capsys.readouterr()
    assert run(list(args)) == 0
    return capsys.readouterr().out


def document(capsys: pytest.CaptureFixture[str], *args: str) -> dict[str, Any]:
    shown: dict[str, Any] = json.loads(answer(capsys, *args, "--format", "json"))
    assert shown["schema_version"] == 1
    return shown


def test_list(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    session = file_session(path, "20250102-bbbbbb")
    turn(session, "hello")
    session.begin("and now?")
    session.request()
    session.add_reply(Reply(calls=(ToolCall("c1", "read", {}),)))
    store_of(session).close()
    listed = {one["id"]: one for one in document(capsys, "sessions", "list")["sessions"]}
    assert [(one["turns"], one["calls"], one["is_open"]) for one in listed.values()] == [(2, 1, True), (3, 6, False)]
    text = answer(capsys, "sessions", "list")
    assert "20250102-bbbbbb" in text.splitlines()[0], "the last used stands first"
    assert "a turn is open" in text.splitlines()[0]
    assert "  2 turns  1 call  " in text.splitlines()[0]


def test_list_of_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    none = tmp_path / "none.db"
    assert run(["sessions", "list", "--store", str(none)]) == 0
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err == f"no session in {none}: dcc chat and dcc run begin one\n"
    assert not none.exists()


@pytest.mark.parametrize("name", ["20250101-aaaaaa", "2025"])
def test_show(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    shown = document(capsys, "sessions", "show", name)
    assert (shown["session"], shown["turns"], shown["calls"]) == ("20250101-aaaaaa", 3, 6)
    assert "user@3" in shown["stage"]
    assert shown["state_hash"] in answer(capsys, "sessions", "show", name)


def test_resume_info_changes_nothing(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "nothing to resume" in answer(capsys, "sessions", "resume-info", "2025")
    session = file_session(path, "20250101-aaaaaa")
    session.begin("look")
    session.request()
    session.add_reply(Reply(calls=(ToolCall("c1", "read", {}), ToolCall("c2", "grep", {}))))
    session.start_tool("c1")
    store_of(session).close()
    for _ in range(2):
        shown = document(capsys, "sessions", "resume-info", "2025")
        assert (shown["turn"], shown["interrupted"]) == (4, ["c1"])
        assert shown["pending"] == [{"id": "c2", "name": "grep"}]


def test_export_with_its_view_and_import(path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "out.jsonl"
    answer(capsys, "sessions", "export", "2025", str(file), "--view", "--as", "anthropic")
    messages = json.loads((tmp_path / "out.jsonl.messages.json").read_text())
    assert messages[0]["role"] == "user"
    told = answer(capsys, "sessions", "import", str(file), "--id", "copy", "--name", "a copy")
    assert document(capsys, "sessions", "show", "a copy")["state_hash"] in told
    assert run(["sessions", "import", str(file), "--id", "copy"]) == 1
    assert "there is a session copy already" in capsys.readouterr().err


def test_import_of_a_session_of_pi(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = shutil.copy(RECORDED, tmp_path / "talk.jsonl")
    told = answer(capsys, "sessions", "import", str(file), "--ruleset", "toolloop")
    shown = document(capsys, "sessions", "show", "talk")
    assert (shown["ruleset"], shown["turns"]) == ("toolloop", 11)
    assert shown["state_hash"] in told
    assert "all agree" in answer(capsys, "verify", "talk")


def test_fork(capsys: pytest.CaptureFixture[str]) -> None:
    told = answer(capsys, "sessions", "fork", "2025", "--at", "2", "--id", "fork")
    shown = document(capsys, "sessions", "show", "fork")
    assert (shown["turns"], shown["state_hash"] in told) == (2, True)
    assert run(["sessions", "fork", "20250101-aaaaaa", "--at", "9"]) == 1
    assert "turn 9 is not over" in capsys.readouterr().err


def test_status_is_that_of_the_command(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    session = file_session(path, "20250101-aaaaaa")
    expected = session.begin("/dc-status").output
    store_of(session).close()
    assert answer(capsys, "status", "2025") == f"{expected}\n"


def test_why(capsys: pytest.CaptureFixture[str]) -> None:
    shown = document(capsys, "why", "2025", "user@2")
    assert shown["causes"][0]["kind"] == "slot_born"
    assert run(["why", "2025", "user@9"]) == 1


@pytest.mark.parametrize(
    "args",
    [
        ["sessions", "show", "none"],
        ["sessions", "fork", "none"],
        ["sessions", "export", "none", "x.jsonl"],
        ["sessions", "export", "2025", "no/such/folder/x.jsonl"],
        ["sessions", "import", "none.jsonl"],
        ["sessions", "show", "2025", "--store", "none.db"],
        ["sessions", "show", "2025", "--ruleset", "none"],
        ["verify", "none"],
        ["status", "none"],
        ["why", "none", "user@1"],
    ],
)
def test_what_is_not_there_is_wrong_usage(args: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(args) == 2
    assert "help:" in capsys.readouterr().err


def test_a_name_that_two_sessions_share(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with file_session(path, "20250102-bbbbbb") as session:
        turn(session, "hello")
    assert run(["sessions", "show", "2025"]) == 2
    assert "20250102-bbbbbb, 20250101-aaaaaa" in capsys.readouterr().err


def test_a_file_of_another_kind(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = tmp_path / "notes.txt"
    other.write_text("just a text, and not a short one. " * 40)
    assert run(["sessions", "list", "--store", str(other)]) == 2
    assert "holds no sessions of dcc" in capsys.readouterr().err


def test_delete_asks_on_a_terminal(
    path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    for said, code, left in (("n\n", 1, 1), ("y\n", 0, 0)):
        monkeypatch.setattr("typer.confirm", lambda question, said=said: said == "y\n")
        assert run(["sessions", "delete", "20250101"]) == code
        assert len(document(capsys, "sessions", "list")["sessions"]) == left


def test_delete_without_a_terminal_has_to_be_sure(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["sessions", "delete", "20250101"]) == 2
    assert "--yes" in capsys.readouterr().err
    assert b"hello 2" in path.read_bytes()
    assert answer(capsys, "sessions", "delete", "20250101", "--yes") == "20250101-aaaaaa is deleted\n"
    assert b"hello 2" not in path.read_bytes()
    assert run(["sessions", "delete", "20250101", "--yes"]) == 2


def test_a_turn_before_the_slot_was_born_is_answered(capsys: pytest.CaptureFixture[str]) -> None:
    assert answer(capsys, "why", "2025", "user@2", "--turn", "1") == "nothing happened to user@2 up to turn 1\n"


def test_undo_of_what_cannot_be_undone_names_what_can(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    with file_session(tmp_path / "other.db") as session:
        turn(session, "hello")
        with pytest.raises(SessionError) as error:
            session.undo_transaction(99)
        assert (error.value.message, error.value.help) == (
            "there is no transaction #99 that can be undone", "there is none that can",
        )  # fmt: skip
        session.keep("user@1")
        (kept,) = session.undo(1)
        with pytest.raises(SessionError, match=f"transaction #{kept} was undone already"):
            session.undo_transaction(kept)
        session.keep("user@1")
        with pytest.raises(SessionError) as error:
            session.undo_transaction(1)
        assert error.value.help == f"the newest that can: #{kept + 2}"


@pytest.mark.parametrize("wrong", [-1e20, -5.0, 1e12, 1e20, float("inf"), "x", b"x"])
def test_a_clock_that_was_wrong_hides_no_session(wrong: object, path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("UPDATE sessions SET used = ?, created = ?", (wrong, wrong))
    connection.close()
    assert "20250101-aaaaaa  1970-01-01" in answer(capsys, "sessions", "list")
    (session,) = document(capsys, "sessions", "list")["sessions"]
    assert session["created"] == session["used"] == "1970-01-01T00:00:00Z"


STORES = ["sessions.db", "sessions.db-wal", "link.db", "hard.db"]


@pytest.mark.parametrize("name", STORES)
def test_an_export_never_takes_the_place_of_a_store(
    name: str, path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "link.db").symlink_to(path)
    (tmp_path / "hard.db").hardlink_to(path)
    before = path.read_bytes()
    assert run(["sessions", "export", "2025", str(tmp_path / name)]) == 2
    assert "is a SQLite file, and is not overwritten\nhelp: name another file" in capsys.readouterr().err
    assert path.read_bytes() == before


def test_an_export_that_fails_leaves_the_one_before(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "out.jsonl"
    answer(capsys, "sessions", "export", "2025", str(file))
    assert file.stat().st_mode & 0o777 == 0o600
    file.chmod(0o640)
    before = file.read_bytes()

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("dcc.runtime.store.transfer._put", full)
    there = sorted(tmp_path.iterdir())
    assert run(["sessions", "export", "2025", str(file)]) == 2
    assert f"cannot write {file}: no space left on device" in capsys.readouterr().err
    assert file.read_bytes() == before
    assert sorted(tmp_path.iterdir()) == there, "nothing half written is left behind"
    monkeypatch.undo()
    monkeypatch.setenv("DCC_STORE", str(path))
    answer(capsys, "sessions", "export", "2025", str(file))
    assert (file.read_bytes(), file.stat().st_mode & 0o777) == (before, 0o640)


def test_export_to_standard_output(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "out.jsonl"
    assert run(["sessions", "export", "2025", str(file)]) == 0
    capfdbinary.readouterr()
    assert run(["sessions", "export", "2025", "-"]) == 0
    out, err = capfdbinary.readouterr()
    assert out == file.read_bytes()
    assert b"contents in -" in err
    assert not (tmp_path / "-").exists()
    assert run(["sessions", "export", "2025", "-", "--view"]) == 2


@pytest.mark.parametrize("wrong", ["", "  ", " a", "a\nb", "\x1b[31mred", "a\u2028b", "x" * 256])
def test_an_id_that_nobody_can_type_is_refused(
    wrong: str, path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "out.jsonl"
    answer(capsys, "sessions", "export", "2025", str(file))
    before = path.read_bytes()
    taken_in = ["sessions", "import", str(file), "--id"]
    for args in (["sessions", "fork", "2025", "--id"], taken_in, ["chat", "--session"]):
        assert run([*args, wrong]) == 2
        assert "is no id of a session" in capsys.readouterr().err
    assert path.read_bytes() == before
    answer(capsys, "sessions", "fork", "2025", "--id", "日本 🎉")
    assert "日本 🎉" in answer(capsys, "sessions", "list")


def test_a_blank_id_means_no_session(capsys: pytest.CaptureFixture[str]) -> None:
    for args in (["sessions", "show", ""], ["verify", ""], ["sessions", "delete", "", "--yes"]):
        assert run(args) == 2
        assert "has no session ''" in capsys.readouterr().err


def test_a_name_of_two_lines_stands_in_one(capsys: pytest.CaptureFixture[str]) -> None:
    answer(capsys, "sessions", "fork", "2025", "--id", "two", "--name", "one\nline")
    assert r"one\nline" in answer(capsys, "sessions", "list")


def test_a_file_of_sessions_that_is_not_there_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    none = tmp_path / "none.db"
    assert run(["sessions", "show", "x", "--store", str(none)]) == 2
    assert f"there is no file {none}" in capsys.readouterr().err
