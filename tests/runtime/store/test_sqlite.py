"""The file of sessions: append-only, many sessions, one writer each, and never a guess at what a file holds."""

from __future__ import annotations

import hashlib
import sqlite3
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from sessions import PROGRAM, file_session, store_of, turn

from dcc.runtime.errors import StoreError
from dcc.runtime.session import Reply, Session, SessionError
from dcc.runtime.store import schema
from dcc.runtime.store.location import make_folder, store_file
from dcc.runtime.store.memory import MemoryStore
from dcc.runtime.store.schema import answering
from dcc.runtime.store.sessions import find_session, sessions_in
from dcc.runtime.store.sqlite import SqliteStore

DIGEST = hashlib.sha256(b"sx").digest()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "sessions.db"


def code_of(error: pytest.ExceptionInfo[StoreError]) -> str:
    assert error.value.help, "every error says how to mend it"
    return error.value.code


# What every store does


@pytest.mark.parametrize("kind", ["memory", "file"])
def test_rows_and_contents_come_back_as_they_went_in(kind: str, path: Path) -> None:
    store = MemoryStore() if kind == "memory" else SqliteStore(path, "one")
    rows = [f"row {n}".encode() for n in range(1, 1_300)]
    store.append(0, rows[:5], {DIGEST: b"sx"})
    store.append(5, rows[5:], {})
    assert list(store.rows()) == rows
    assert list(store.rows(after=1_297)) == rows[1_297:]
    assert (store.content(DIGEST), store.find(DIGEST[:3]), store.find(b"\xff")) == (b"sx", [DIGEST], [])
    assert dict(store.held()) == {DIGEST: b"sx"}
    store.close()


@pytest.mark.parametrize("kind", ["memory", "file"])
def test_the_second_writer_is_refused_and_nothing_is_written(kind: str, path: Path) -> None:
    store = MemoryStore() if kind == "memory" else SqliteStore(path, "one")
    store.append(0, [b"1", b"2"], {})
    with pytest.raises(StoreError, match="another writer") as error:
        store.append(1, [b"3"], {DIGEST: b"sx"})
    assert code_of(error) == "seq_conflict"
    assert list(store.rows()) == [b"1", b"2"]
    with pytest.raises(StoreError) as missing:
        store.content(DIGEST)
    assert missing.value.code == "missing_content"
    store.close()


# One file


def test_sessions_of_a_file_do_not_see_each_other(path: Path) -> None:
    one, two = SqliteStore(path, "one"), SqliteStore(path, "two")
    one.append(0, [b"1"], {DIGEST: b"sx"})
    two.append(0, [b"a", b"b"], {})
    assert (list(one.rows()), list(two.rows())) == ([b"1"], [b"a", b"b"])
    assert two.find(DIGEST) == []
    two.append(2, [b"c"], {DIGEST: b"sx"})
    assert two.content(DIGEST) == one.content(DIGEST)
    one.close()
    two.close()


def test_events_cannot_be_changed_or_deleted(path: Path) -> None:
    store = SqliteStore(path, "one")
    store.append(0, [b"1"], {DIGEST: b"sx"})
    store.close()
    connection = sqlite3.connect(path)
    for statement in ("UPDATE events SET row = x'00'", "DELETE FROM events", "UPDATE contents SET data = x'00'"):
        with pytest.raises(sqlite3.IntegrityError):
            connection.execute(statement)
    connection.close()


def test_the_file_is_its_owners_alone(path: Path, tmp_path: Path) -> None:
    SqliteStore(path, "one").close()
    assert path.stat().st_mode & 0o077 == 0
    inner = tmp_path / "a" / "b" / "sessions.db"
    make_folder(inner)
    assert inner.parent.stat().st_mode & 0o077 == 0


def test_what_is_acknowledged_has_reached_the_disk(path: Path) -> None:
    store = SqliteStore(path, "one")
    assert store._connection.execute("PRAGMA synchronous").fetchone() == (2,)
    assert store._connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    store.close()


# Files that are no sessions of ours


@pytest.mark.parametrize(
    "content", [b"just a text, and not a short one. " * 40, b"\x00" * 4096, b"SQLite format 3", b"a note\n", b"x"]
)
def test_a_file_of_another_kind_is_refused_and_left_alone(content: bytes, path: Path) -> None:
    path.write_bytes(content)
    for read_only in (False, True):
        with pytest.raises(StoreError) as error:
            SqliteStore(path, "one", read_only=read_only)
        assert code_of(error) == "foreign_file"
    assert path.read_bytes() == content


def test_a_database_of_another_program_is_refused_and_left_alone(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE cookies (name TEXT)")
    connection.close()
    content = path.read_bytes()
    with pytest.raises(StoreError) as error:
        SqliteStore(path, "one")
    assert code_of(error) == "foreign_file"
    assert path.read_bytes() == content


def test_a_file_of_a_newer_version_is_refused(path: Path) -> None:
    SqliteStore(path, "one").close()
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA user_version = {schema.SCHEMA_VERSION + 1}")
    connection.close()
    with pytest.raises(StoreError, match="newer dcc") as error:
        SqliteStore(path, "one")
    assert code_of(error) == "newer_file"


def test_a_damaged_file_is_told(path: Path) -> None:
    with file_session(path) as session:
        for n in range(30):
            turn(session, f"hello {n}", tool=f"{n}.py")
    content = bytearray(path.read_bytes())
    content[4096 : 20 * 4096] = b"\xa5" * (19 * 4096)
    path.write_bytes(content)
    with pytest.raises(StoreError) as error:
        list(SqliteStore(path, "one").rows())
    assert code_of(error) == "damaged_file"


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(StoreError) as error:
        SqliteStore(tmp_path / "no" / "sessions.db", "one")
    assert code_of(error) == "store_failed"


# Reading only


def test_reading_only_makes_no_file(path: Path) -> None:
    with pytest.raises(StoreError) as error:
        SqliteStore(path, "one", read_only=True)
    assert code_of(error) == "no_store"
    assert not path.exists()


def test_a_file_with_nothing_in_it_holds_no_sessions_yet(path: Path) -> None:
    path.touch()
    with pytest.raises(StoreError, match="holds no sessions yet") as error:
        SqliteStore(path, "one", read_only=True)
    assert code_of(error) == "no_store"
    assert sessions_in(path) == []
    with pytest.raises(StoreError, match="has no session 'one'"):
        find_session(path, "one")


@pytest.mark.skipif(sys.platform == "win32", reason="limits of a process")
@pytest.mark.parametrize("limit", [0, 600, 4096, 33_000, 60_000])
def test_a_file_whose_making_was_cut_short_is_made_whole_the_next_time(limit: int, path: Path) -> None:
    """A disk that is full when the first session begins; as here, where files may not grow."""
    program = (
        "import resource, sys; from pathlib import Path; from dcc.runtime.store.sqlite import SqliteStore\n"
        "from dcc.runtime.errors import StoreError\n"
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}))\n"
        "try: SqliteStore(Path(sys.argv[1]), 'one')\n"
        "except StoreError as error: print(error.message)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(path)], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.stdout == f"{path}: disk I/O error\n", done.stderr
    assert sessions_in(path) == []
    SqliteStore(path, "one").close()


def test_reading_only_needs_a_session(path: Path) -> None:
    SqliteStore(path, "one").close()
    with pytest.raises(StoreError) as error:
        SqliteStore(path, "two", read_only=True)
    assert code_of(error) == "unknown_session"


def test_reading_only_sees_one_moment_and_writes_nothing(path: Path) -> None:
    with file_session(path, every=5) as session:
        turn(session, "hello")
        reading = SqliteStore(path, "one", read_only=True)
        before = Session.open(reading, PROGRAM)
        turn(session, "again", tool="a.py")
        assert before.turn == 1
        assert "user@1" in before.ranges(), "what is read late is of the same moment"
        with pytest.raises(StoreError) as error:
            before.pin("a note")
        assert code_of(error) == "read_only"
        reading.close()


# Two writers


def test_two_processes_on_one_session(path: Path) -> None:
    ours = file_session(path)
    turn(ours, "from us")
    code = (
        "import sys; sys.path.insert(0, sys.argv[2]); from pathlib import Path; from sessions import *; "
        "session = file_session(Path(sys.argv[1])); turn(session, 'from them'); store_of(session).close()"
    )
    command = [sys.executable, "-c", code, str(path), str(Path(__file__).parents[2])]
    subprocess.run(command, check=True)
    ours.begin("from us again")
    ours.request()
    with pytest.raises(StoreError, match="another writer was first") as error:
        ours.add_reply(Reply("too late"))
    assert code_of(error) == "seq_conflict"
    with pytest.raises(SessionError, match="no longer knows its ledger"):
        ours.pin("a note")
    store_of(ours).close()
    again = file_session(path)
    assert (again.turn, again.is_open) == (2, False)
    turn(again, "from us again")
    assert again.turn == 3
    store_of(again).close()


def test_a_session_opened_from_a_snapshot_reads_nothing_of_another_writer(path: Path) -> None:
    with file_session(path, every=5) as session:
        for n in range(4):
            turn(session, f"hello {n}", tool=f"{n}.py")
    ours, theirs = file_session(path, every=5), file_session(path, every=5)
    turn(theirs, "from them", tool="0.py")
    with pytest.raises(StoreError, match="another process") as error:
        ours.ranges()
    assert code_of(error) == "seq_conflict"
    store_of(ours).close()
    store_of(theirs).close()


@pytest.mark.parametrize("is_replaced", [False, True])
def test_a_file_that_is_removed_while_it_is_used_is_told_at_the_next_write(path: Path, is_replaced: bool) -> None:
    with file_session(path) as session:
        turn(session, "hello")
        away = path.parent / "away"
        away.mkdir()
        for file in path.parent.glob("sessions.db*"):
            file.rename(away / file.name)
        if is_replaced:
            SqliteStore(path, "one").close()
        with pytest.raises(StoreError, match=r"sessions\.db was removed or replaced") as error:
            turn(session, "and on")
        assert code_of(error) == "file_gone"
    with file_session(away / path.name) as session:
        turn(session, "and on")
        assert "user@2" in session.stage()


def test_a_relative_path_stays_what_it_was_when_the_process_goes_elsewhere(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with file_session(Path(path.name)) as session:
        monkeypatch.chdir("/")
        turn(session, "hello")


def test_a_writer_that_waits_too_long_says_so(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schema, "PATIENCE", 1)
    store = SqliteStore(path, "one")
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreError) as error:
        store.append(0, [b"1"], {})
    assert code_of(error) == "busy"
    other.execute("ROLLBACK")
    store.append(0, [b"1"], {})
    other.close()
    store.close()


def test_a_file_that_two_processes_make_at_once(path: Path) -> None:
    code = (
        "import sys; from dcc.runtime.store.sqlite import SqliteStore; "
        "s = SqliteStore(sys.argv[1], sys.argv[2]); s.append(0, [b'1'], {}); s.close()"
    )
    running = [subprocess.Popen([sys.executable, "-c", code, str(path), str(n)]) for n in range(4)]
    assert [process.wait() for process in running] == [0] * 4
    for n in range(4):
        store = SqliteStore(path, str(n), read_only=True)
        assert list(store.rows()) == [b"1"]
        store.close()


def test_a_file_that_another_process_makes_while_it_is_looked_at(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    connect = sqlite3.connect

    def make(statement: str) -> None:
        if statement != "PRAGMA user_version":
            return
        other = connect(path, timeout=0, isolation_level=None)
        with suppress(sqlite3.OperationalError):
            other.executescript(f"BEGIN; {schema.TABLES} PRAGMA application_id = {schema.APPLICATION_ID}; "
                                f"PRAGMA user_version = {schema.SCHEMA_VERSION}; COMMIT")  # fmt: skip
        other.close()

    def watched(*args: Any, **more: Any) -> sqlite3.Connection:
        connection = connect(*args, **more)
        connection.set_trace_callback(make)
        return connection

    monkeypatch.setattr(sqlite3, "connect", watched)
    store = SqliteStore(path, "one")
    store.append(0, [b"1"], {})
    assert list(store.rows()) == [b"1"]
    store.close()


# Where it is


def test_where_sessions_live() -> None:
    home = {"HOME": "/home/ada"}
    own = Path(".dcc/sessions.db")
    assert store_file(Path("x.db"), {"DCC_STORE": "y.db"}) == Path("x.db")
    assert store_file(None, {"DCC_STORE": "y.db"}) == Path("y.db")
    assert store_file(None, home | {"XDG_DATA_HOME": "/data"}, "linux") == "/data" / own
    assert store_file(None, home | {"XDG_DATA_HOME": "data"}, "linux") == "/home/ada/.local/share" / own
    assert store_file(None, home, "linux") == "/home/ada/.local/share" / own
    assert store_file(None, home, "darwin") == "/home/ada/Library/Application Support" / own
    assert store_file(None, {"LOCALAPPDATA": "/local"}, "win32") == "/local" / own


def test_a_folder_that_may_not_be_written_is_told_from_one_that_is_not_there(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path.touch()
    failed = sqlite3.OperationalError("unable to open database file")
    failed.sqlite_errorcode = sqlite3.SQLITE_CANTOPEN

    def told() -> str:
        with pytest.raises(StoreError) as error, answering(path):
            raise failed
        return error.value.message

    assert told() == f"{path} cannot be opened"
    monkeypatch.setattr("os.access", lambda *_: False)
    assert told() == f"{path} cannot be written to: its folder is read-only"


def test_a_closed_store_is_told_of(path: Path) -> None:
    store = SqliteStore(path, "one")
    session = Session.create(PROGRAM, store=store)
    session.begin("hello")
    session.request()
    store.close()
    with pytest.raises(StoreError, match=f"the store of {path} is closed"):
        session.add_reply(Reply("hi"))
