"""The base of a transaction: what the manifest gives is one, until something changes the context."""

from __future__ import annotations

import re
from pathlib import Path

import governed

from dcc.runtime.session import Session
from dcc.runtime.store.sqlite import SqliteStore


def base_of(session: Session) -> int:
    """As a model reads it."""
    found = re.search(r'<context_manifest base="(\d+)">', session.governance.manifest())
    assert found is not None
    assert int(found[1]) == session.governance.base
    return int(found[1])


def archive(session: Session, slot: str, base: int) -> list[str]:
    """The codes that stand in the way."""
    operation = {"op": "set_visibility", "ids": [slot]}
    outcome = session.update_context({"reason": "r", "operations": [operation], "base": base})
    return [rejection.rule for rejection in outcome.rejections]


def test_an_undo_changes_the_context() -> None:
    session = governed.governed()
    first = base_of(session)
    assert archive(session, "assistant@1", first) == []
    second = base_of(session)
    session.undo()
    third = base_of(session)
    assert first < second < third
    for stale in (first, second):
        assert archive(session, "assistant@1", stale) == ["stale_base"]
    assert archive(session, "assistant@1", third) == []


def test_an_undo_of_an_earlier_transaction_does_too() -> None:
    session = governed.governed()
    number = governed.operate(session, {"op": "set_visibility", "ids": ["assistant@1"]}).transaction
    assert number is not None
    governed.operate(session, {"op": "set_visibility", "ids": ["assistant@1.2"]})
    before, seq = base_of(session), session.governance.last_event
    session.undo_transaction(number)
    assert archive(session, "assistant@1", before) == ["stale_base"]
    assert archive(session, "assistant@1", seq) == ["stale_base"]
    assert archive(session, "assistant@1", session.governance.last_event) == []


def test_another_process_gives_the_same_base(tmp_path: Path) -> None:
    path = tmp_path / "sessions.db"
    session = governed.governed(store=SqliteStore(path, "s"))
    governed.operate(session, {"op": "set_visibility", "ids": ["assistant@1"]})
    session.undo()
    base = base_of(session)
    session.__exit__(None, None, None)
    with Session.open(SqliteStore(path, "s"), session.program) as again:
        assert base_of(again) == base
        assert archive(again, "assistant@1", base) == []


def test_an_undo_that_is_taken_back_with_its_turn_is_none() -> None:
    session = governed.governed()
    governed.operate(session, {"op": "set_visibility", "ids": ["assistant@1"]})
    before = base_of(session)
    session.begin("never heard")
    session.request()
    session.undo()
    assert base_of(session) > before
    session.fail("network")
    assert base_of(session) == before
    assert archive(session, "assistant@1.2", before) == []
