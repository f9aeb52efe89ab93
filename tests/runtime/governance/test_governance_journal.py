"""The journal in the ledger: what it tells, and that a fold which does not agree with it is named."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import governed
import pytest

from dcc.runtime.session import Session
from dcc.runtime.store.sqlite import SqliteStore
from dcc.runtime.store.verifying import verify

CHAIN = ["toolCall@1", "toolResult@1"]
ARCHIVE: dict[str, Any] = {"op": "set_visibility", "ids": CHAIN}


def talked(session: Session) -> None:
    """One applied, one refused, one that an undo takes back, and a redaction."""
    governed.operate(session, ARCHIVE)
    governed.operate(session, {"op": "set_visibility", "ids": ["user@2"]})
    session.undo()
    governed.operate(session, {"op": "redact", "ids": ["toolResult@1.2"], "drop": ["token"]})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "sessions.db"
    with governed.governed(store=SqliteStore(path, "one")) as session:
        talked(session)
    return path


def test_applied_refused_and_undone_are_told() -> None:
    session = governed.governed()
    talked(session)
    archived, refused, undo, redacted = session.governance.newest()
    assert (archived.ok, archived.applied, archived.undone, archived.slots) == (True, 1, True, tuple(CHAIN))
    assert archived.operations == [ARCHIVE]
    assert archived.freed is not None
    assert archived.delta == -archived.freed
    assert (refused.ok, refused.transaction, refused.slots) == (False, None, ())
    ((index, rule, message),) = refused.rejections
    assert (index, rule) == (0, "protected_current_question")
    assert "user@2" in message
    assert refused.before == refused.after == archived.after
    assert (undo.cause, undo.reason) == ("undo", f"#{archived.transaction}")
    assert redacted.before == archived.before
    assert redacted.slots == ("toolResult@1.2", "toolResult@1.3")
    why = "to see what happens"
    assert [entry.line() for entry in session.governance.newest()] == [
        f"turn 2, agent: 1 applied, {archived.freed:,} tokens freed (#{archived.transaction}) - {why}, undone",
        f"turn 2, agent: refused: protected_current_question - {why}",
        f"turn 2, person: #{archived.transaction} taken back (#{undo.transaction})",
        f"turn 2, agent: 1 applied, {redacted.freed:,} tokens freed (#{redacted.transaction}) - {why}",
    ]


def test_the_newest_are_the_last_ones() -> None:
    session = governed.governed()
    talked(session)
    assert session.governance.newest(2) == session.governance.newest()[2:]


def test_what_the_runtime_did_is_told() -> None:
    session = governed.governed(max_context=2_000)
    for n in range(4):
        governed.talk(session, f"look {n}", [f"{n}\n{governed.LONG}"])
    acts = [entry for entry in session.governance.newest(50) if entry.actor == "runtime"]
    assert {entry.cause for entry in acts} == {"critical_pass"}
    assert all(entry.slots for entry in acts)
    assert "critical_pass, " in acts[0].line()


@pytest.mark.parametrize("payload", ["not json", {"reason": "r", "operations": [{("a", "b"): 1}]}, None], ids=str)
def test_what_could_not_be_read_is_not_told_as_deleted(payload: object) -> None:
    """Only a redaction leaves an entry without operations."""
    session = governed.governed()
    session.update_context(payload)
    assert session.governance.newest(1)[0].operations == []


def test_an_entry_is_one_line_whatever_the_reason() -> None:
    session = governed.governed()
    session.update_context({"reason": "it was read\n  twice\r\nand more", "operations": []})
    (entry,) = session.governance.newest(1)
    assert entry.line() == "turn 2, agent: nothing changed - it was read twice and more"
    assert entry.reason == "it was read\n  twice\r\nand more"


def test_a_session_without_transactions_has_an_empty_journal() -> None:
    assert governed.governed().governance.newest() == ()


def test_a_journal_that_agrees(path: Path) -> None:
    assert verdict(path) is None


def verdict(path: Path) -> str | None:
    store = SqliteStore(path, "one", read_only=True)
    try:
        return verify(store).difference
    finally:
        store.close()


def tamper(path: Path, kind: str, change: Callable[[dict[str, Any]], None], *, last: bool = False) -> list[Any]:
    """Change an event as only a foreign hand would; returns it."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("DROP TRIGGER events_stay_as_they_are")
    rows = [(seq, json.loads(row)) for seq, row in connection.execute("SELECT seq, row FROM events ORDER BY seq")]
    found = [(seq, event) for seq, event in rows if event[4] == kind]
    seq, event = found[-1 if last else 0]
    change(event[6])
    connection.execute("UPDATE events SET row = ? WHERE seq = ?", (json.dumps(event).encode(), seq))
    connection.execute("DELETE FROM snapshots")
    connection.close()
    return list(event)


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_recorded_state_that_is_another(when: str, path: Path) -> None:
    event = tamper(path, "operated", lambda data: data.update({when: "0" * 64}))
    found = verdict(path)
    assert found is not None
    assert f"transaction #{event[3]} (event {event[0]}) and the events diverge: the state {when} it" in found
    assert "it recorded '0000" in found


def test_a_hold_that_is_gone_is_named_with_its_transaction(path: Path) -> None:
    event = tamper(path, "hold_begun", lambda data: data.update(slot="assistant@1"))
    found = verdict(path)
    assert found is not None
    assert f"transaction #{event[3]} " in found
    assert "the state after it" in found


def test_what_changed_before_a_refused_transaction_is_named(path: Path) -> None:
    """A change after the last sum of a turn would go unseen otherwise."""
    event = tamper(path, "slot_born", lambda data: data.update(digest="0" * 64), last=True)
    found = verdict(path)
    assert found is not None
    assert f"transaction #{event[3]} " in found


def test_an_applied_transaction_that_says_it_was_refused(path: Path) -> None:
    def refused(data: dict[str, Any]) -> None:
        data["after"] = data["before"]

    assert "the state after it" in str(tamper(path, "operated", refused) and verdict(path))
