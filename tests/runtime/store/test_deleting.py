"""Deleting a session: it is gone, byte for byte, and nothing else is."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from dcc.compiler.load import load_program
from dcc.runtime.errors import StoreError
from dcc.runtime.session import Reply, Session
from dcc.runtime.store.deleting import delete_session
from dcc.runtime.store.forking import fork_session
from dcc.runtime.store.sessions import sessions_in
from dcc.runtime.store.sqlite import SqliteStore
from dcc.runtime.store.verifying import verify

RULES = load_program({"life_cycle": {"user": ["born", "born"]}})


def talk(session: Session, *texts: str) -> Session:
    for text in texts:
        session.begin(text)
        session.request()
        session.add_reply(Reply("ok"))
        session.commit()
    return session


def begun(path: Path, id: str, *texts: str, every: int = 5) -> None:
    with Session.create(RULES, store=SqliteStore(path, id, name=f"name of {id}", every=every)) as session:
        talk(session, *texts)


def bytes_of(path: Path) -> bytes:
    """All that is on disk of the file: itself, its log, the index of that."""
    return b"".join(found.read_bytes() for found in sorted(path.parent.glob(f"{path.name}*")))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "sessions.db"
    begun(path, "first", *(f"the zebra crosses road {n}" for n in range(9)), "tea for all")
    begun(path, "other", "an okapi", "tea for all")
    return path


def test_nothing_of_it_can_be_read_any_more(path: Path) -> None:
    assert all(word in bytes_of(path) for word in (b"zebra", b"name of first"))
    assert delete_session(path, "first")
    left = bytes_of(path)
    assert not [word for word in (b"zebra", b"crosses", b"name of first") if word in left]
    assert [session.id for session in sessions_in(path)] == ["other"]


def test_the_other_sessions_are_whole(path: Path) -> None:
    fork_session(path, "first", "fork", at=3)
    delete_session(path, "first")
    for id, query, slot in (("other", "okapi", "user@1"), ("fork", "zebra", "user@3")):
        store = SqliteStore(path, id)
        assert verify(store).difference is None
        with Session.open(store, RULES) as session:
            assert session.recall(query).hits[0].slot == slot


def test_events_stay_append_only(path: Path) -> None:
    delete_session(path, "first")
    connection = sqlite3.connect(path)
    with pytest.raises(sqlite3.IntegrityError, match="append-only"):
        connection.execute("DELETE FROM events")
    connection.close()


def test_nothing_is_deleted_while_another_process_writes(path: Path) -> None:
    writer = sqlite3.connect(path, isolation_level=None)
    writer.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreError) as caught:
        delete_session(path, "first")
    assert caught.value.code == "busy"
    writer.execute("ROLLBACK")
    writer.close()
    assert len(sessions_in(path)) == 2


def test_a_session_that_is_open_elsewhere_writes_no_more(path: Path) -> None:
    with Session.open(SqliteStore(path, "first"), RULES) as session:
        delete_session(path, "first")
        begun(path, "second", "hello")
        with pytest.raises(StoreError) as caught:
            talk(session, "and now?")
        assert caught.value.code in ("seq_conflict", "missing_content")
    assert {session.id for session in sessions_in(path)} == {"other", "second"}


def test_who_reads_meanwhile_keeps_bytes_of_it_alive_and_that_is_told(path: Path) -> None:
    reader = SqliteStore(path, "other", read_only=True)
    assert not delete_session(path, "first")
    reader.close()
    begun(path, "third", "hello")
    assert delete_session(path, "third")
    assert b"zebra" not in bytes_of(path)


def test_an_unknown_session(path: Path) -> None:
    with pytest.raises(StoreError) as caught:
        delete_session(path, "none")
    assert caught.value.code == "unknown_session"


def test_a_session_deleted_under_its_writer_says_so(path: Path) -> None:
    store = SqliteStore(path, "first")
    last = store.last
    session = Session.open(store, RULES)
    delete_session(path, "first")
    told = "session first was deleted meanwhile"
    with pytest.raises(StoreError, match=told) as error:
        talk(session, "one more")
    assert (error.value.code, bool(error.value.help)) == ("seq_conflict", True)
    with pytest.raises(StoreError, match=told):
        store.append(last, [b"{}"], {})
    store.close()
    assert [found.id for found in sessions_in(path)] == ["other"]
