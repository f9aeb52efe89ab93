"""Sessions of one file share contents: what one purges is lost to all, and what one bears again is its own."""

from __future__ import annotations

import io
import sqlite3
from pathlib import Path

import pytest
from sessions import PROGRAM, file_session, store_of

from dcc.compiler.load import load_program
from dcc.runtime.errors import StoreError
from dcc.runtime.purging import purge
from dcc.runtime.session import Reply, Session, ToolCall
from dcc.runtime.store.deleting import delete_session
from dcc.runtime.store.forking import fork_session
from dcc.runtime.store.postings import forget_contents
from dcc.runtime.store.sqlite import SqliteStore
from dcc.runtime.store.transfer import export_session, import_session
from dcc.runtime.store.verifying import verify

SECRET = "hunter2-swordfish-9914"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "sessions.db"


def result(session: Session) -> str:
    """A turn whose tool says the secret; the id of the slot that holds it."""
    session.begin("look")
    session.request()
    session.add_reply(Reply(calls=(ToolCall("c1", "ls", {"path": "."}),)))
    slot = session.add_result("c1", SECRET)
    session.request()
    session.add_reply(Reply("seen"))
    session.commit()
    return slot


def redact(session: Session, slot_id: str) -> None:
    recorder = session._recorder
    slot = recorder.ledger.slots[slot_id]
    with recorder.transaction("op") as emit:
        purge(recorder, emit, [slot.digest])
        session._births.replace(emit, slot, "{}")
    recorder.write()


def is_purged(path: Path, id: str, slot: str) -> bool:
    with file_session(path, id) as session:
        return session._recorder.ledger.slots[slot].is_purged


def exported(path: Path, id: str = "one") -> bytes:
    store, out = SqliteStore(path, id, read_only=True), io.BytesIO()
    export_session(store, "", out)
    store.close()
    return out.getvalue()


def difference(path: Path, id: str) -> str | None:
    store = SqliteStore(path, id, read_only=True)
    found = verify(store).difference
    store.close()
    return found


def test_a_fork_does_not_get_back_what_the_other_session_bears_again(path: Path) -> None:
    with file_session(path) as session:
        old = result(session)
    fork_session(path, "one", "two")
    with file_session(path) as session:
        redact(session, old)
        newer = result(session)
    assert SECRET.encode() not in exported(path, "two")
    assert is_purged(path, "two", old)
    assert not is_purged(path, "one", newer)
    assert SECRET.encode() in exported(path, "one")
    assert (difference(path, "one"), difference(path, "two")) == (None, None)


def born_again(path: Path) -> tuple[str, str]:
    """A session that has lost a result, and has the same bytes again two turns later: both slots."""
    with file_session(path) as session:
        old = result(session)
        redact(session, old)
        session.begin("go on")
        session.request()
        session.add_reply(Reply("fine"))
        session.commit()
        return old, result(session)


@pytest.mark.parametrize("at", [1, 2])
def test_a_fork_of_an_earlier_time_does_not_get_it_back_either(at: int, path: Path) -> None:
    """At turn 1 nothing was purged yet; at turn 2 the same bytes were not yet born again."""
    old, _ = born_again(path)
    fork_session(path, "one", "two", at=at)
    assert is_purged(path, "two", old)
    assert SECRET.encode() not in exported(path, "two")
    assert difference(path, "two") is None


@pytest.mark.parametrize("at", [1, 2])
def test_nor_does_a_fork_of_an_imported_session(at: int, path: Path, tmp_path: Path) -> None:
    """An import is written in one step; for all that it tells since when it holds what was born again."""
    old, again = born_again(path)
    export = tmp_path / "one.jsonl"
    export.write_bytes(exported(path))
    other = tmp_path / "other.db"
    import_session(export, other)
    fork_session(other, "one", "early", at=at)
    fork_session(other, "one", "late")
    assert is_purged(other, "early", old)
    assert SECRET.encode() not in exported(other, "early")
    assert not is_purged(other, "late", again)
    assert SECRET.encode() in exported(other, "late")
    assert [difference(other, id) for id in ("one", "early", "late")] == [None] * 3


def test_a_content_that_is_purged_once_more_is_acknowledged_once_more(path: Path) -> None:
    with file_session(path) as session:
        old = result(session)
    fork_session(path, "one", "two")
    with file_session(path) as session:
        redact(session, old)
    with file_session(path, "two") as fork:
        again = result(fork)
    assert not is_purged(path, "two", again)
    with file_session(path) as session:
        redact(session, result(session))
    assert is_purged(path, "two", again)


def test_an_import_takes_nothing_from_the_sessions_that_are_there(path: Path, tmp_path: Path) -> None:
    """What was purged elsewhere, or before, is no reason to delete what another session has borne since."""
    with file_session(path) as session:
        old = result(session)
        redact(session, old)
        state = session.state_hash()
    file = tmp_path / "one.jsonl"
    file.write_bytes(exported(path))
    with file_session(path) as session:
        newer = result(session)
    assert import_session(file, path, "two").state_hash == state
    with file_session(path) as session:
        session.begin("go on")
        assert SECRET in str(session.request().messages)
        assert newer in session.stage()
        assert SECRET in session.recall(SECRET).text
    assert SECRET.encode() not in exported(path, "two")
    assert is_purged(path, "two", old)
    assert (difference(path, "one"), difference(path, "two")) == (None, None)
    delete_session(path, "two")
    assert difference(path, "one") is None


def test_a_deletion_of_an_earlier_file_is_known(path: Path) -> None:
    """Files in which sessions had no rows of their own for what they lost."""
    with file_session(path) as session:
        slot = result(session)
        digest = session._recorder.ledger.slots[slot].digest
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE purged (digest BLOB NOT NULL PRIMARY KEY) WITHOUT ROWID")
        connection.execute("INSERT INTO purged VALUES (?)", (digest,))
        connection.execute("DELETE FROM contents WHERE digest = ?", (digest,))
        forget_contents(connection, [digest])
    connection.close()
    assert difference(path, "one") is None
    assert is_purged(path, "one", slot)
    with file_session(path) as session:
        with pytest.raises(StoreError) as error:
            store_of(session).content(digest)
        assert error.value.code == "purged"
        again = result(session)
        redact(session, again)
    assert is_purged(path, "one", again)


def test_a_fork_opened_from_its_snapshot_knows_it_too(path: Path) -> None:
    with file_session(path, every=5) as session:
        old = result(session)
        redact(session, old)
        newer = result(session)
        state = session.state_hash()
    store = SqliteStore(path, "one", every=5)
    with Session.open(store, PROGRAM) as session:
        assert session.state_hash() == state
        slots = session._recorder.ledger.slots
        assert (slots[old].is_purged, slots[newer].is_purged) == (True, False)
        redact(session, newer)
        assert session._recorder.ledger.slots[newer].is_purged


def test_a_patch_that_another_session_deleted_ends_without_its_words(path: Path) -> None:
    """What a person typed in one session may have the bytes of a result that is redacted in another."""
    program = load_program({"name": "ending", "context": {"patch_end": {"template": "Done: {element}. {content}"}}})

    def opened(id: str) -> Session:
        store = SqliteStore(path, id)
        return Session.open(store, program) if store.last else Session.create(program, store=store)

    with opened("two") as session:
        session.begin(f"/goal {SECRET} remain 1\ngo")
        session.request()
        session.add_reply(Reply("fine"))
        session.commit()
    with opened("one") as session:
        redact(session, result(session))
    with opened("two") as session:
        session.begin("and now?")
        said = str(session.request().messages)
        assert "Done: goal. [purged]" in said
        assert SECRET not in said


def gone(session: Session) -> list[str]:
    return [message for code, message in session.take_happenings().notices if code == "purged_elsewhere"]


@pytest.mark.parametrize("when", ["before a message", "while a tool runs", "before a turn is gone on with"])
def test_a_session_that_is_open_elsewhere_loses_it_before_its_next_request(when: str, path: Path) -> None:
    with file_session(path) as session:
        old = result(session)
    fork_session(path, "one", "two")
    with file_session(path, "two") as fork, file_session(path) as session:
        assert SECRET in str(fork.messages())
        if when != "before a message":
            fork.begin("go on")
            fork.request()
            fork.add_reply(Reply(calls=(ToolCall("c2", "ls", {"path": "."}),)))
        redact(session, old)
        if when == "before a message":
            fork.begin("go on")
        elif when == "while a tool runs":
            fork.add_result("c2", "nothing")
        else:
            fork.resume()
            fork.add_result("c2", "nothing")
        assert SECRET not in str(fork.request().messages)
        assert fork._recorder.ledger.slots[old].is_purged
        fork.add_reply(Reply("seen"))
        fork.commit()
        assert gone(fork) == [f"another session of the file has redacted what {old} held: it is gone here, too"]
        assert SECRET not in fork.recall("hunter2").text
        assert gone(session) == []
    assert (difference(path, "one"), difference(path, "two")) == (None, None)


def test_it_is_not_forgotten_with_a_turn_that_fails(path: Path) -> None:
    with file_session(path) as session:
        old = result(session)
    fork_session(path, "one", "two")
    with file_session(path, "two") as fork, file_session(path) as session:
        fork.begin("go on")
        redact(session, old)
        fork.request()
        fork.fail("network")
        fork.begin("again")
        assert SECRET not in str(fork.request().messages)
        fork.add_reply(Reply("there"))
        fork.commit()
        assert len(gone(fork)) == 1


def test_a_session_that_is_taken_up_again_tells_what_it_has_lost(path: Path) -> None:
    with file_session(path) as session:
        old = result(session)
        session.queue_patch("goal", SECRET, "remain", 1)
    fork_session(path, "one", "two")
    with file_session(path) as session:
        redact(session, old)
    with file_session(path, "two") as fork:
        (message,) = gone(fork)
        assert f"{old}, the queued patch of goal held" in message
    with file_session(path, "two") as fork:
        assert gone(fork) == []
