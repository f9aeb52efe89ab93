"""Snapshots save time and nothing else: missing or damaged ones are done without, unknown ones are refused."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from pathlib import Path

import pytest
from sessions import PROGRAM, file_session, store_of, turn

from dcc.runtime.errors import StoreError
from dcc.runtime.kernel.events import EventError
from dcc.runtime.kernel.ledger import Ledger
from dcc.runtime.kernel.snapshot import SnapshotError, read_snapshot, restore, snapshot_of, snapshot_to_row
from dcc.runtime.session import Reply, Session, ToolCall
from dcc.runtime.store.memory import MemoryStore
from dcc.runtime.store.sqlite import SqliteStore
from dcc.runtime.store.verifying import verify

#: Attributes of a ledger that its slots tell again, or that are of the moment only.
DERIVED = {
    "slots", "by_element", "result_of", "wires", "touches", "newest", "outdated", "touched", "journal", "watch",
}  # fmt: skip


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A session of twelve turns, left with a snapshot."""
    path = tmp_path / "sessions.db"
    with file_session(path) as session:
        for n in range(12):
            turn(session, f"/goal aim {n} remain 2\nhello {n}", tool=f"{n % 3}.py")
        session.pin("a note")
        session.keep("toolResult@2")
    return path


def change(path: Path, statement: str, *values: object) -> None:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute(statement, values)
    connection.close()


def folded(path: Path) -> Session:
    """The session of a file, folded from its first event."""
    store, memory = SqliteStore(path, "one", read_only=True), MemoryStore()
    memory.append(0, list(store.rows()), dict(store.held()))
    store.close()
    return Session.open(memory, PROGRAM)


def is_lazy(session: Session) -> bool:
    return not isinstance(session._recorder.ledger.slots, dict)


def test_only_what_is_near_the_stage_is_read(path: Path) -> None:
    session, whole = file_session(path), folded(path)
    held = session._recorder.ledger.slots._held
    read = len(held)
    assert session.stage() == whole.stage()
    assert session.state_hash() == whole.state_hash()
    assert len(held) == read < len(whole.ranges())
    assert session.ranges() == whole.ranges()
    store_of(session).close()


def test_everything_in_a_ledger_is_in_its_snapshot(path: Path) -> None:
    session = folded(path)
    ledger = session._recorder.ledger
    told = snapshot_of(ledger, 0).keys() - {"version", "sum", "elements", "calls"} | {"turn_of"}
    assert told == vars(Ledger()).keys() - DERIVED


def test_a_missing_snapshot_costs_only_time(path: Path) -> None:
    change(path, "DELETE FROM snapshots")
    assert same_and(path, lazy=False)
    assert same_and(path, lazy=True), "the first one who closes the session leaves a new one"


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE snapshots SET snapshot = substr(snapshot, 1, 100)",
        "UPDATE snapshots SET snapshot = CAST(replace(snapshot, 'goal', 'gaol') AS BLOB)",
        "UPDATE snapshots SET seq = seq + 1000",
        "DELETE FROM slots",
        "DELETE FROM slots WHERE number = 7",
    ],
)
def test_a_damaged_snapshot_costs_only_time(damage: str, path: Path) -> None:
    change(path, damage)
    assert same_and(path, lazy=False)
    assert same_and(path, lazy=True)


def same_and(path: Path, *, lazy: bool) -> bool:
    """Whether the session opens as ``lazy`` says; it must be the same in any case."""
    whole = folded(path)
    with file_session(path) as session:
        found = is_lazy(session)
        assert session.state_hash() == whole.state_hash()
        assert session.ranges() == whole.ranges()
    return found is lazy


def test_a_snapshot_of_an_unknown_version_is_refused(path: Path) -> None:
    snapshot = json.dumps({"version": 99}).encode()
    checksum = hashlib.sha256(snapshot).digest()
    change(path, "UPDATE snapshots SET snapshot = ?, checksum = ?", snapshot, checksum)
    with pytest.raises(SnapshotError, match="version 99, this dcc knows version 6") as error:
        file_session(path)
    assert (error.value.code, bool(error.value.help)) == ("unknown_snapshot", True)


def test_a_snapshot_of_an_earlier_version_costs_only_time(path: Path) -> None:
    snapshot = json.dumps({"version": 1, "turn": 3}).encode()
    change(path, "UPDATE snapshots SET snapshot = ?, checksum = ?", snapshot, hashlib.sha256(snapshot).digest())
    assert same_and(path, lazy=False)
    assert same_and(path, lazy=True)


def test_events_of_a_newer_version_are_refused() -> None:
    memory = MemoryStore()
    memory.append(0, [b'[1,0,0,1,"session","session",{"format":99,"program":"","folder":""}]'], {})
    with pytest.raises(EventError, match="newer dcc") as error:
        Session.open(memory, PROGRAM)
    assert (error.value.code, bool(error.value.help)) == ("newer_session", True)


@pytest.mark.parametrize("row", [b"", b"{", b"[]", b"\xff", b"{}", b"null"])
def test_what_is_no_snapshot_is_damaged(row: bytes) -> None:
    with pytest.raises(SnapshotError) as error:
        read_snapshot(row)
    assert error.value.code == "damaged_snapshot"


def test_a_snapshot_without_a_field_is_damaged(path: Path) -> None:
    store = SqliteStore(path, "one", read_only=True)
    saved = store.saved()
    assert saved is not None
    snapshot = read_snapshot(saved.snapshot)
    assert read_snapshot(snapshot_to_row(snapshot)) == snapshot
    for field in snapshot:
        broken = {name: value for name, value in snapshot.items() if name != field}
        with pytest.raises(SnapshotError):
            restore(read_snapshot(snapshot_to_row(broken)), saved.slots)
    store.close()


def test_a_snapshot_is_written_every_so_many_events(tmp_path: Path) -> None:
    session = file_session(tmp_path / "sessions.db", every=10)
    seen = set()
    for n in range(6):
        turn(session, f"hello {n}")
        snapshot = store_of(session).snapshot()
        seen.add(snapshot.seq if snapshot is not None else 0)
    assert len(seen) >= 3
    assert max(seen) <= store_of(session).last
    store_of(session).close()


def test_an_open_turn_is_in_the_snapshot(tmp_path: Path) -> None:
    with file_session(tmp_path / "sessions.db") as session:
        turn(session, "hello")
        session.begin("what is in it?")
        session.request()
        session.add_reply(_two_calls())
        session.start_tool("c1")
    again = file_session(tmp_path / "sessions.db")
    assert is_lazy(again)
    ahead = again.resume()
    assert (ahead.turn, [call.id for call in ahead.pending], ahead.interrupted) == (2, ["c2"], ("c1",))
    store_of(again).close()


def test_a_staged_turn_is_not(tmp_path: Path) -> None:
    with file_session(tmp_path / "sessions.db") as session:
        turn(session, "hello")
        session.begin("and again")
        session.request()
    again = file_session(tmp_path / "sessions.db")
    assert (is_lazy(again), again.turn, again.is_open) == (True, 1, False)
    store_of(again).close()


@pytest.mark.parametrize("before", ["hello", "/goal a remain 2", "hello /goal a remain none"])
@pytest.mark.parametrize("lost", ["hello /goal b remain 3", "/constraint c refresh 2\nhello", "go /goal d roll 2"])
def test_what_a_turn_that_was_taken_back_had_patched_is_not(before: str, lost: str, tmp_path: Path) -> None:
    path = tmp_path / "sessions.db"
    with file_session(path) as session:
        if session.begin(before).kind == "turn":
            session.request()
            session.add_reply(Reply("ok"))
            session.commit()
        session.begin(lost)
        session.request()
        session.fail("provider")
    store = SqliteStore(path, "one", read_only=True)
    assert verify(store).difference is None
    store.close()


def test_a_full_disk_costs_only_the_snapshot(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session = file_session(path, every=5)
    monkeypatch.setattr(SqliteStore, "save", _no_space)
    turn(session, "go on")
    monkeypatch.undo()
    turn(session, "and on")
    whole = folded(path)
    assert session.state_hash() == whole.state_hash()
    store_of(session).close()
    assert same_and(path, lazy=True)


def _two_calls() -> Reply:
    return Reply(calls=(ToolCall("c1", "read", {"path": "a"}), ToolCall("c2", "read", {"path": "b"})))


def _no_space(*_: object, **__: object) -> bool:
    raise StoreError("store_failed", "no space is left")
