"""Redaction: the one deletion there is (kernel.md section 3)."""

from __future__ import annotations

import json
from pathlib import Path

import governed
import pytest

from dcc.runtime.governance.redaction import redacted
from dcc.runtime.session import Reply, Session, SessionError, ToolCall
from dcc.runtime.store.sqlite import SqliteStore

REDACT = {"op": "redact", "ids": ["toolResult@1.2"], "drop": ["token"]}

KEYS = [{"id": 1, "key": "first-key"}, {"id": 2, "key": "second"}]
USER = {"name": "Ada", "mail": "ada@example.org", "keys": KEYS}
DOCUMENT = {
    "user": USER,
    "name": "report",
    "count": 123456,
}


@pytest.mark.parametrize(
    ("fields", "keep", "left", "gone"),
    [
        (["count"], [], {"user": DOCUMENT["user"], "name": "report"}, ["123456"]),
        (["user.name"], [], DOCUMENT | {"user": {"mail": USER["mail"], "keys": KEYS}}, []),
        (["name"], ["user.name"], {"user": USER, "count": 123456}, ["report"]),
        (["user"], ["mail"], DOCUMENT | {"user": {"mail": "ada@example.org"}}, ["first-key", "second"]),
        (["keys.key"], [], DOCUMENT | {"user": USER | {"keys": [{"id": 1}, {"id": 2}]}}, ["first-key", "second"]),
        (["nothing"], [], DOCUMENT, []),
        (["key"], ["key"], DOCUMENT, []),
    ],
)  # fmt: skip
def test_fields_go_with_their_values(fields: list[str], keep: list[str], left: object, gone: list[str]) -> None:
    body, values = redacted(json.dumps(DOCUMENT), fields, keep)
    assert json.loads(body) == left
    assert list(values) == gone


def test_a_value_that_stays_elsewhere_in_the_object_is_not_looked_for() -> None:
    body, values = redacted(json.dumps({"a": "the same", "b": "the same"}), ["a"], [])
    assert json.loads(body) == {"b": "the same"}
    assert values == ()


def test_the_value_is_gone_from_the_context_and_the_store() -> None:
    session = governed.governed()
    digest = session._recorder.ledger.slots["toolResult@1.2"].digest
    outcome = governed.operate(session, REDACT)
    assert outcome.ok, outcome.rejections
    assert outcome.purged == ("toolResult@1.2",)
    assert outcome.document()["purged"] == ["toolResult@1.2"]
    assert governed.SECRET not in str(session.messages())
    assert "db.local" in str(session.messages())
    _text, is_error = session.governance.artifact(f"artifact://{digest.hex()[:16]}")
    assert is_error
    assert session._recorder.store.holding(governed.SECRET) == []
    past = session.projection(session.ordinal)
    assert "toolResult@1.2" in [visible.slot for visible in past]


def test_no_byte_of_the_value_is_left_in_the_file(tmp_path: Path) -> None:
    file = tmp_path / "sessions.db"
    session = governed.governed(store=SqliteStore(file, "one", every=2_000))
    assert governed.operate(session, REDACT).ok
    assert all(governed.SECRET.encode() not in part.read_bytes() for part in tmp_path.iterdir())
    before = session.state_hash()
    session.__exit__(None, None, None)
    again = Session.open(SqliteStore(file, "one", every=2_000), governed.program())
    assert again.state_hash() == before
    assert all(governed.SECRET.encode() not in part.read_bytes() for part in tmp_path.iterdir())
    again.__exit__(None, None, None)


def test_what_else_holds_the_value_goes_too_and_is_named() -> None:
    session = governed.governed()
    session.begin("Try it.")
    session.request()
    session.add_reply(Reply("", calls=(ToolCall("c", "connect", {"token": governed.SECRET}),)))
    session.add_result("c", "connected")
    session.request()
    session.add_reply(Reply(f"I used {governed.SECRET}."))
    session.commit()
    outcome = governed.operate(session, REDACT)
    assert outcome.ok, outcome.rejections
    assert set(outcome.purged) == {"toolResult@1.2", "toolCall@3", "assistant@3"}
    assert governed.SECRET not in str(session.messages())
    assert session._recorder.store.holding(governed.SECRET) == []


def test_a_summary_that_holds_the_value_stays_and_is_named() -> None:
    session = governed.governed()
    merged = governed.operate(session, {
        "op": "fold", "ids": ["assistant@1", "toolCall@1", "toolResult@1"], "description": "tokens",
        "content": f"the token is {governed.SECRET}", "scope_label": "reading",
    })  # fmt: skip
    assert merged.ok, merged.rejections
    before = session.state_hash()
    outcome = governed.operate(session, REDACT)
    assert [r.rule for r in outcome.rejections] == ["redact_elsewhere"]
    assert merged.created[0] in outcome.rejections[0].message
    assert session.state_hash() == before
    assert governed.SECRET in str(session.messages())


def test_it_cannot_be_undone_and_says_so() -> None:
    session = governed.governed()
    archived = governed.operate(session, {"op": "set_visibility", "ids": ["assistant@1"]})
    outcome = governed.operate(session, REDACT)
    with pytest.raises(SessionError) as error:
        session.undo_transaction(outcome.transaction)
    assert error.value.code == "undo_purged"
    assert session.undo(1) == (archived.transaction,)


def test_a_value_that_a_person_typed_is_the_persons() -> None:
    session = governed.governed()
    outcome = governed.operate(session, {**REDACT, "drop": ["asked"]})
    assert [r.rule for r in outcome.rejections] == ["redact_elsewhere"]
    assert "user@1" in outcome.rejections[0].message


def test_a_message_that_is_not_written_yet_is_looked_at_too() -> None:
    session = governed.governed()
    session.begin(f"Why is it {governed.SECRET}?")
    outcome = governed.operate(session, REDACT)
    assert [r.rule for r in outcome.rejections] == ["redact_elsewhere"]
    assert "user@3" in outcome.rejections[0].message


def test_recall_finds_nothing_of_it() -> None:
    session = governed.governed()
    assert governed.SECRET in session.recall(governed.SECRET).text
    assert governed.operate(session, REDACT).ok
    assert governed.SECRET not in "\n".join(session.recall(governed.SECRET).lines)
