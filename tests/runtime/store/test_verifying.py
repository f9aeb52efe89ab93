"""``verify`` finds every difference between what a file says and what the events say, and names the first."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from sessions import file_session, turn

from dcc.runtime.store.sqlite import SqliteStore
from dcc.runtime.store.verifying import Verdict, verify


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A session whose snapshot is older than its last events."""
    path = tmp_path / "sessions.db"
    with file_session(path, every=10_000) as session:
        for n in range(3):
            turn(session, f"/goal aim remain {n + 1}\nhello {n}", tool=f"{n}.py")
    session = file_session(path, every=10_000)
    turn(session, "and on", tool="0.py")
    session.keep("toolResult@2")
    session._recorder.store.close()
    return path


def verdict(path: Path) -> Verdict:
    store = SqliteStore(path, "one", read_only=True)
    try:
        return verify(store)
    finally:
        store.close()


def damage(path: Path, *statements: str, values: tuple[object, ...] = ()) -> None:
    """Change the file as only a broken disk or a foreign hand would."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("DROP TRIGGER events_stay")
    connection.execute("DROP TRIGGER events_stay_as_they_are")
    connection.execute("DROP TRIGGER contents_stay_as_they_are")
    for statement in statements:
        assert connection.execute(statement, values).rowcount, "the damage is done"
    connection.close()


def test_a_whole_session_agrees(path: Path) -> None:
    found = verdict(path)
    assert found.difference is None
    assert found.snapshot is not None
    assert found.snapshot < found.events
    session = file_session(path)
    assert (found.state_hash, found.slots) == (session.state_hash(), len(session.ranges()))
    session._recorder.store.close()


@pytest.mark.parametrize(
    ("statement", "told"),
    [
        ("DELETE FROM events WHERE seq = 9", "event 9 is missing"),
        ("DELETE FROM events WHERE seq > 30", "the snapshot is of event"),
        ("UPDATE events SET row = substr(row, 2) WHERE seq = 12", "event 12 cannot be folded"),
        ("UPDATE events SET row = CAST(replace(row, 'slot_born', 'lost') AS BLOB) WHERE seq = 2", "event 2 cannot"),
        ("UPDATE snapshots SET checksum = x'00'", "the snapshot is damaged"),
        ("UPDATE slots SET row = CAST(replace(row, 'born', 'turn') AS BLOB) WHERE id = 'user@2'", "user@2 differs in"),
        ("UPDATE slots SET rest_turn = 2 WHERE id = 'user@2'", "slot user@2 differs in 'rest_turn'"),
        ("DELETE FROM slots WHERE id = 'user@2'", "differs in 'number'"),
        ("DELETE FROM slots WHERE id = 'assistant@3'", "slot assistant@3 is missing from the slots"),
        ("DELETE FROM held WHERE seq = 3", "is missing"),
        ("DELETE FROM contents WHERE CAST(data AS TEXT) LIKE '%hello 1%'", "of user@2 is missing"),
        ("UPDATE contents SET data = x'73' WHERE CAST(data AS TEXT) LIKE '%hello 1%'", "of user@2 does not have"),
    ],
)
def test_the_first_difference_is_named(statement: str, told: str, path: Path) -> None:
    damage(path, statement)
    found = verdict(path)
    assert found.difference is not None
    assert told in found.difference
    assert found.state_hash is None


def rewritten(path: Path, kind: str, change: Callable[[list[object]], None]) -> int:
    """Change the first event of a kind; returns its seq."""
    connection = sqlite3.connect(path)
    rows = connection.execute("SELECT seq, row FROM events ORDER BY seq").fetchall()
    connection.close()
    seq, event = next((seq, json.loads(row)) for seq, row in rows if json.loads(row)[4] == kind)
    change(event)
    row = json.dumps(event, separators=(",", ":")).encode()
    damage(path, "UPDATE events SET row = ? WHERE seq = ?", values=(row, seq))
    return int(seq)


def test_a_changed_event_does_not_fold_to_the_sum_of_its_turn(path: Path) -> None:
    def later(event: list[object]) -> None:
        event[6]["segments"][0][0] += 1

    rewritten(path, "slot_born", later)
    assert "turn 1 (event" in str(verdict(path).difference)


def test_an_event_that_stands_elsewhere(path: Path) -> None:
    def renumbered(event: list[object]) -> None:
        event[0] = 7_000

    seq = rewritten(path, "turn_begun", renumbered)
    assert f"event {seq} is missing, or stands elsewhere" in str(verdict(path).difference)


def test_a_snapshot_that_says_otherwise(path: Path) -> None:
    connection = sqlite3.connect(path)
    ((row,),) = connection.execute("SELECT snapshot FROM snapshots").fetchall()
    connection.close()
    other = json.dumps(json.loads(row) | {"last_pin": 4}).encode()
    checksum = hashlib.sha256(other).digest()
    damage(path, "UPDATE snapshots SET snapshot = ?, checksum = ?", values=(other, checksum))
    assert "differs in 'last_pin': it says 4, the events say 0" in str(verdict(path).difference)


def test_a_snapshot_of_an_earlier_version_is_not_compared(path: Path) -> None:
    """This dcc does not open the session from it, either."""
    earlier = json.dumps({"version": 1, "turn": 3}).encode()
    checksum = hashlib.sha256(earlier).digest()
    damage(path, "UPDATE snapshots SET snapshot = ?, checksum = ?", values=(earlier, checksum))
    assert (verdict(path).difference, verdict(path).snapshot) == (None, None)


def test_a_session_without_events(path: Path) -> None:
    damage(path, "DELETE FROM snapshots", "DELETE FROM events")
    assert verdict(path).difference == "the session has no events"
