"""A content that was purged and whose bytes are born again: the new slot is full, the old one stays deleted.

A content lives by its hash, but a purge is told of slots (kernel.md section 3): what is born with or after it is a new
fact (P10), and what was purged stays in past requests, marked, without content (P11).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sessions import PROGRAM

from dcc.runtime.kernel.clock import ManualClock
from dcc.runtime.kernel.hashing import sum_of_rows
from dcc.runtime.kernel.tokens import count_tokens
from dcc.runtime.purging import purge
from dcc.runtime.session import Format, Reply, Session, ToolCall
from dcc.runtime.store.interface import Store
from dcc.runtime.store.memory import MemoryStore
from dcc.runtime.store.sqlite import SqliteStore
from dcc.runtime.store.transfer import export_session, import_session
from dcc.runtime.store.verifying import verify

TEXT = '{"user": "someone", "what is left": "of it"}'
FORMATS: tuple[Format, ...] = ("openai", "anthropic", "pi")
OLD, NEW = "toolResult@1", "toolResult@1.2"


def redact(session: Session, slot_id: str, text: str) -> None:
    """Delete what a slot holds, and put a text in its place."""
    slot = session._recorder.ledger.slots[slot_id]
    with session._recorder.transaction("op") as emit:
        purge(session._recorder, emit, [slot.digest])
        session._births.replace(emit, slot, text)
    session._written(None)


def later_result(session: Session) -> None:
    """In an open call one result is purged, and then the other call gives the same text."""
    _two_calls(session)
    session.add_result("c1", TEXT)
    slot = session._recorder.ledger.slots[OLD]
    with session._recorder.transaction("op") as emit:
        purge(session._recorder, emit, [slot.digest])
    session._written(None)
    session.add_result("c2", TEXT)


def same_transaction(session: Session) -> None:
    """In an open call a result is purged by a transaction that itself bears the same text in its place."""
    _two_calls(session)
    session.add_result("c1", TEXT)
    redact(session, OLD, TEXT)
    session.add_result("c2", "something else")


def _two_calls(session: Session) -> None:
    session.begin("look")
    session.request()
    session.add_reply(Reply(calls=tuple(ToolCall(f"c{n}", "ls", {"path": f"{n}"}) for n in (1, 2))))


HISTORIES = (later_result, same_transaction)
History = Callable[[Session], None]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "sessions.db"


@pytest.fixture(params=["memory", "file", "snapshots"])
def store(request: pytest.FixtureRequest, path: Path) -> Iterator[Store]:
    store: Store = MemoryStore()
    if request.param != "memory":
        store = SqliteStore(path, "one", every=3 if request.param == "snapshots" else 2_000)
    yield store
    store.close()


@pytest.fixture(params=HISTORIES, ids=lambda history: history.__name__)
def session(request: pytest.FixtureRequest, store: Store) -> Session:
    session = Session.create(PROGRAM, store=store, system="You are brief.", clock=ManualClock())
    request.param(session)
    return session


def again(session: Session) -> Session:
    """The same session in a new process."""
    store = session._recorder.store
    if isinstance(store, SqliteStore):
        store = SqliteStore(store.path, store.session, every=3)
    return Session.open(store, PROGRAM, clock=ManualClock())


@pytest.mark.parametrize("format", FORMATS)
def test_the_new_slot_is_shown_in_full_and_counted(format: Format, session: Session) -> None:
    request = session.request(format)
    shown = {v.slot: v for v in request.visible}
    assert (shown[NEW].how, shown[NEW].on_stage, shown[NEW].tokens) == ("full", True, count_tokens(TEXT))
    assert request.tokens == sum(v.tokens for v in request.visible)
    assert str(request.messages).count("what is left") == 1


@pytest.mark.parametrize("format", FORMATS)
def test_it_is_the_same_when_the_session_is_opened_again(format: Format, session: Session) -> None:
    state, request = session.state_hash(), session.request(format)
    opened = again(session)
    assert opened.state_hash() == state
    assert opened._recorder.hash.total == sum_of_rows(opened._recorder.ledger)
    assert opened.resume().pending == ()
    found = opened.request(format)
    assert (found.messages, found.system, found.visible) == (request.messages, request.system, request.visible)


def test_the_old_slot_stays_deleted_in_the_past(session: Session) -> None:
    session.request()
    session.add_reply(Reply("done"))
    session.commit()
    for one in (session, again(session)):
        past = {v.slot: v for v in one.projection(2)}
        assert past[NEW].how == "full"
        assert OLD not in past or past[OLD].how == "stub"
        assert "deleted" in str(one.why(OLD))


@pytest.mark.parametrize("restarted", [False, True])
@pytest.mark.parametrize("format", FORMATS)
def test_a_request_that_has_the_same_bytes_as_the_one_before_is_no_break(format: Format, restarted: bool) -> None:
    """What went out before the purge is known by the bytes that were born since, in a new process too."""
    session = Session.create(PROGRAM, system="You are brief.", clock=ManualClock())
    session.begin("look")
    session.request(format)
    session.add_reply(Reply(calls=(ToolCall("c1", "ls", {}),)))
    session.add_result("c1", TEXT)
    before = session.request(format)
    session.add_reply(Reply(calls=(ToolCall("c2", "ls", {}),)))
    redact(session, OLD, TEXT)
    if restarted:
        session = again(session)
        session.resume()
    session.add_result("c2", "other")
    request = session.request(format)
    assert request.messages[: len(before.messages)] == before.messages or format == "anthropic"
    assert request.prefix_kept == before.tokens
    session.take_happenings()
    session.add_reply(Reply("done"))
    assert session.take_happenings().breaks == ()


@pytest.mark.parametrize("history", HISTORIES)
def test_export_and_import(history: History, path: Path, tmp_path: Path) -> None:
    session = Session.create(PROGRAM, store=SqliteStore(path, "one"), system="You are brief.", clock=ManualClock())
    history(session)
    state, request = session.state_hash(), session.request()
    session._recorder.close()
    file, other = tmp_path / "one.jsonl", tmp_path / "other.db"
    store = SqliteStore(path, "one", read_only=True)
    assert verify(store).difference is None
    with file.open("wb") as out:
        export_session(store, "", out)
    store.close()
    assert import_session(file, other).state_hash == state
    with Session.open(SqliteStore(other, "one"), PROGRAM) as brought:
        assert brought.state_hash() == state
        found = brought.request()
        assert (found.messages, found.visible) == (request.messages, request.visible)


def test_recall_finds_the_new_slot_and_not_the_old_one(session: Session) -> None:
    session.request()
    session.add_reply(Reply("done"))
    session.commit()
    for one in (session, again(session)):
        assert [hit.slot for hit in one.recall("someone").hits] == [NEW]
