"""A file whose bytes were changed is answered with what is damaged: never a guess, never another kind of error."""

from __future__ import annotations

import io
import random
import sqlite3
from contextlib import suppress
from pathlib import Path

import pytest
from sessions import file_session, store_of, turn

from dcc.grammar.errors import DccError
from dcc.runtime.session import Reply, Session, ToolCall
from dcc.runtime.store.forking import fork_session
from dcc.runtime.store.reopening import program_of
from dcc.runtime.store.sessions import find_session, sessions_in
from dcc.runtime.store.sqlite import SqliteStore
from dcc.runtime.store.transfer import export_session
from dcc.runtime.store.verifying import verify


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "sessions.db"
    for id in ("one", "two"):
        with file_session(file, id) as session:
            turn(session, "look", tool="a.py")
            turn(session, "/goal aim remain 2\ngo on")
    return file


def change(path: Path, statement: str) -> None:
    """Change what the tables' triggers protect."""
    connection = sqlite3.connect(path)
    for (trigger,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'").fetchall():
        connection.execute(f"DROP TRIGGER {trigger}")
    connection.execute(statement)
    connection.commit()
    connection.close()


def look_at_everything(path: Path, session: str) -> None:
    """All that the verbs do with a stored session."""
    sessions_in(path)
    found = find_session(path, session)
    store = SqliteStore(path, found, read_only=True)
    try:
        opened = Session.open(store, program_of(store))
        opened.messages("openai")
        opened.state_hash()
        opened.why("user@1")
        export_session(store, "name", io.BytesIO())
        verify(store)
    finally:
        store.close()
    fork_session(path, found, "copy")


@pytest.mark.parametrize("seed", range(60))
def test_whatever_is_damaged_is_answered(seed: int, path: Path) -> None:
    data = bytearray(path.read_bytes())
    chance = random.Random(seed)
    for _ in range(chance.choice([1, 5, 40, 200])):
        data[chance.randrange(100, len(data))] = chance.choice([chance.randrange(256), chance.randrange(32, 127)])
    path.write_bytes(data)
    with suppress(DccError):
        look_at_everything(path, "one")


def test_one_damaged_session_hides_no_other(path: Path) -> None:
    change(path, "UPDATE events SET row = x'5bff' WHERE session = 1")
    assert {(s.id, s.is_damaged) for s in sessions_in(path)} == {("one", True), ("two", False)}
    look_at_everything(path, "two")
    with pytest.raises(DccError) as told:
        look_at_everything(path, "one")
    assert told.value.code == "damaged_events"


def test_a_changed_content_is_not_taken_for_what_was_said(path: Path) -> None:
    session = file_session(path)
    digest = session._recorder.ledger.slots["user@1"].digest
    change(path, f"UPDATE contents SET data = x'7378' WHERE digest = x'{digest.hex()}'")
    with pytest.raises(DccError) as told:
        store_of(session).content(digest)
    assert told.value.code == "damaged_content"


def test_an_id_that_is_no_unicode_is_refused(path: Path) -> None:
    with pytest.raises(DccError) as told:
        SqliteStore(path, "\udcff")
    assert (told.value.code, bool(told.value.help)) == ("bad_text", True)
    store = SqliteStore(path, "three", name="\udcff")
    with pytest.raises(DccError) as told:
        store.append(0, [b"1"], {})
    assert told.value.code == "bad_text"
    store.close()


def test_torn_ids_and_keys_are_found_again(path: Path) -> None:
    """A lone surrogate in a call's id or in a path is stored, and the session opens without its past."""
    with file_session(path, "torn", every=1) as session:
        for _ in range(2):
            session.begin("go")
            session.request()
            session.add_reply(Reply(calls=(ToolCall("c\ud800", "read", {"path": "\ud800"}),)))
            session.add_result("c\ud800", "much to read " * 60)
            session.request()
            session.add_reply(Reply("done"))
            session.commit()
        before = session.state_hash()
    again = file_session(path, "torn", every=1)
    assert store_of(again).snapshot() is not None
    assert again.state_hash() == before
    store_of(again).close()
