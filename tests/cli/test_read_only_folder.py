"""A file of sessions in a folder that may not be written: all that only reads works, and nothing is left behind."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from sessions import PROGRAM, file_session, store_of, turn
from unprivileged import unprivileged

from dcc.cli.entry import run
from dcc.runtime.session import Session
from dcc.runtime.store.sqlite import SqliteStore

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="permissions of Unix")


@pytest.fixture
def path() -> Iterator[Path]:
    """In a folder that everybody may enter and nobody may write."""
    folder = Path(tempfile.mkdtemp())
    path = folder / "sessions.db"
    with file_session(path) as session:
        turn(session, "hello", tool="a.py")
    path.chmod(0o644)
    folder.chmod(0o555)
    yield path
    folder.chmod(0o755)
    shutil.rmtree(folder)


def commands(out: Path) -> list[list[str]]:
    return [
        ["sessions", "list"], ["sessions", "show", "one"], ["sessions", "resume-info", "one"], ["status", "one"],
        ["why", "one", "user@1"], ["verify", "one"], ["sessions", "export", "one", str(out), "--view"],
    ]  # fmt: skip


def test_everything_that_reads(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DCC_STORE", str(path))
    open_to_all = Path(tempfile.mkdtemp())
    open_to_all.chmod(0o777)
    try:
        for command in commands(Path(os.devnull)):
            if command[1] != "export":
                assert run(command) == 0, "what is imported late is imported now"
        for beside in path.parent.glob("*-*"):
            beside.unlink()  # root may write here
        for command in commands(open_to_all / "out.jsonl"):
            assert unprivileged(lambda command=command: run(command)) == 0, command
        assert (open_to_all / "out.jsonl").read_bytes()
    finally:
        shutil.rmtree(open_to_all)
    assert [found.name for found in path.parent.iterdir()] == ["sessions.db"]


def test_a_search_of_what_was_said(path: Path) -> None:
    def search() -> int:
        with Session.open(SqliteStore(path, "one", read_only=True), PROGRAM) as session:
            return len(session.recall("hello").hits)

    assert unprivileged(search) == search() > 0


def test_what_a_killed_writer_left_is_read_too(path: Path) -> None:
    path.parent.chmod(0o755)
    session = file_session(path)
    turn(session, "and now?")
    for beside in path.parent.iterdir():
        beside.chmod(0o644)
    path.parent.chmod(0o555)

    def turns() -> int:
        with Session.open(SqliteStore(path, "one", read_only=True), PROGRAM) as reading:
            return reading.turn

    assert unprivileged(turns) == 2
    path.parent.chmod(0o755)
    store_of(session).close()


def test_writing_says_why_it_cannot(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DCC_STORE", str(path))
    for command in (["sessions", "fork", "one"], ["sessions", "delete", "one", "--yes"]):
        assert unprivileged(lambda command=command: run(command)) == 2, command
