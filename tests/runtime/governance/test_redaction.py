"""Redaction: the one deletion there is (kernel.md section 3)."""

from __future__ import annotations

import json
from pathlib import Path

import governed
import pytest

from dcc.runtime.governance.journal import newest
from dcc.runtime.governance.redaction import Redacted, redacted
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
    ],
)  # fmt: skip
def test_fields_go_with_their_values(fields: list[str], keep: list[str], left: object, gone: list[str]) -> None:
    found = redacted(json.dumps(DOCUMENT), fields, keep)
    assert json.loads(found.text or "") == left
    assert list(found.values) == gone


@pytest.mark.parametrize(
    ("fields", "keep"), [(["nothing"], []), (["key"], ["key"]), (["user.count"], []), ([" . "], [])]
)
def test_where_nothing_is_named_nothing_is_left_of_the_object_but_itself(fields: list[str], keep: list[str]) -> None:
    """Not even its bytes change: the spaces of JSON are no reason to write it anew."""
    assert redacted('{"user":{"key":"k"},  "count":1}', fields, keep) == Redacted(None, fields=("user", "count"))


def test_a_value_that_stays_elsewhere_in_the_object_is_not_looked_for() -> None:
    text = json.dumps({"a": "the same", "b": "the same", "c": [{"d": "not the same\n"}]})
    found = redacted(text, ["a"], [])
    assert found.text == '{"b": "the same", "c": [{"d": "not the same\\n"}]}'
    assert found.values == ()
    assert found.elsewhere == ("b", "c.d")
    assert redacted(text, ["a"], ["b", "c"]).elsewhere == ()


def test_names_of_fields_may_hold_a_value_too() -> None:
    text = json.dumps({"token": "k-7731", "by": {"k-7731": "ada"}})
    assert redacted(text, ["token"], []).elsewhere == ("by.k-7731",)
    assert redacted(text, ["token"], ["by.k-7731"]).elsewhere == ()
    assert redacted(text, ["token", "by"], []).values == ("k-7731",)


def test_blanks_around_a_value_are_none_of_it() -> None:
    assert redacted(json.dumps({"key": "  k-7731\n"}), ["key"], []).values == ("k-7731",)


@pytest.mark.parametrize("value", [True, False, None, "", "abc", {}, []])
def test_what_everything_holds_is_dropped_and_not_looked_for(value: object) -> None:
    found = redacted(json.dumps({"a": value, "b": "is null, or true, or false"}), ["a"], [])
    assert found == Redacted('{"b": "is null, or true, or false"}')


@pytest.mark.parametrize("field", ["a.b", "x.a.b"])
def test_a_name_may_hold_dots(field: str) -> None:
    assert redacted('{"x": {"a.b": "secret", "c": 1}}', [field], []).text == '{"x": {"c": 1}}'


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


@pytest.mark.parametrize(
    ("said", "rule", "names"),
    [
        ({"drop": ["tokn"]}, "redact_nothing", "host, port, token, asked, log"),
        ({"drop": ["token"], "preserve": ["token"]}, "redact_nothing", "token"),
        ({"drop": ["log"], "ids": ["toolResult@1"]}, "redact_not_json", "toolResult@1"),
    ],
)
def test_a_redaction_that_would_delete_nothing_does_not_say_that_it_did(
    said: dict[str, object], rule: str, names: str
) -> None:
    session = governed.governed()
    before = session.messages()
    outcome = governed.operate(session, {**REDACT, **said})
    assert [r.rule for r in outcome.rejections] == [rule]
    assert names in outcome.rejections[0].message
    assert session.messages() == before


def _with(session: Session, result: object) -> str:
    governed.talk(session, "And this?", [json.dumps(result)], "I see.")
    return session.stage()[-2]


def test_other_fields_with_the_value_are_named() -> None:
    session = governed.governed()
    slot = _with(session, {"key": "k-7731", "link": "http://db/?k-7731", "other": 1})
    redact = {"op": "redact", "ids": [slot], "drop": ["key"]}
    refused = governed.operate(session, redact)
    assert [r.rule for r in refused.rejections] == ["redact_elsewhere"]
    assert "link" in refused.rejections[0].message
    assert governed.operate(session, {**redact, "preserve": ["link"]}).ok
    assert session.messages()[-2]["content"] == '{"link": "http://db/?k-7731", "other": 1}'


def test_true_and_null_are_dropped_where_they_stand_and_delete_nothing_else() -> None:
    session = governed.governed()
    slot = _with(session, {"admin": True, "token": None, "user": "ada"})
    governed.talk(session, "Is it true?", reply="It is true, and the rest is null.")
    outcome = governed.operate(session, {"op": "redact", "ids": [slot], "drop": ["admin", "token"]})
    assert outcome.ok, outcome.rejections
    assert outcome.purged == (slot,)
    assert "It is true" in str(session.messages())


def test_nothing_that_was_said_of_a_redaction_keeps_the_value(tmp_path: Path) -> None:
    """Reasons, keys, and the redaction's own words are deleted too; a key is known again all the same."""
    path, secret = tmp_path / "sessions.db", governed.SECRET
    session = governed.governed(store=SqliteStore(str(path), "work"))
    missing = {
        "reason": secret, "operations": [{
            "op": "compact", "ids": ["assistant@1"], "description": "d", "content": "c", "preserve": [secret],
        }],
    }  # fmt: skip
    answered = session.update_context(missing, key=secret)
    assert secret in answered.rejections[0].message
    redact = {"reason": f"{secret} was leaked", "operations": [{**REDACT, "description": secret}]}
    assert session.update_context(redact).ok
    session.govern(True)
    for file in tmp_path.iterdir():
        assert secret.encode() not in file.read_bytes(), file.name
    assert [entry.reason for entry in newest(session._recorder, 2)] == ["(the reason was redacted)"] * 2
    again = session.update_context(missing, key=secret)
    assert [(r.op_index, r.rule) for r in again.rejections] == [(r.op_index, r.rule) for r in answered.rejections]


@pytest.mark.parametrize(
    ("value", "stays", "goes"),
    [
        (4711, "order 147110 of 2024-05-06T10:11:12.471100Z, 0.4711 %, line 4711-3", "the PIN is 4711."),
        ("4711", "1715000471100 ms", 'write({"pin":4711})'),
        ("quay", "the quays of Quayside, quay_no=1", "at the quay, I think"),
    ],
    ids=["number", "digits", "word"],
)
def test_a_number_and_a_short_word_are_deleted_where_they_stand_alone(value: object, stays: str, goes: str) -> None:
    """The digits of a number stand in many timestamps, the letters of a word in many words."""
    session = governed.governed()
    slot = _with(session, {"secret": value, "other": 1})
    governed.talk(session, "First.", reply=stays)
    governed.talk(session, "Second.", reply=goes)
    outcome = governed.operate(session, {"op": "redact", "ids": [slot], "drop": ["secret"]})
    assert outcome.ok, outcome.rejections
    assert set(outcome.purged) == {slot, "assistant@5"}
    assert stays in str(session.messages())
    assert goes not in str(session.messages())


def test_it_waits_for_the_reply_that_makes_the_turn_sure() -> None:
    """What is done before the first reply is taken back when the request fails; a deletion must not be."""
    session = governed.governed()
    session.begin("Go on.")
    assert [r.rule for r in governed.operate(session, REDACT).rejections] == ["redact_early"]
    session.request()
    session.add_reply(Reply("Done."))
    assert governed.operate(session, REDACT).ok


@pytest.mark.parametrize("slot", ["toolResult@1", "assistant@1"])
def test_an_operation_of_ones_own_that_redacts_meets_what_is_no_json(slot: str, tmp_path: Path) -> None:
    own = tmp_path / "own.ops"
    own.write_text('op forget { "Forget." ids: slots "where" names: texts "what" effect purge { fields: names } }')
    session = Session.create(governed.program(ops=["cpat", str(own)]))
    governed.talk(session, "Find the port.", ["[1, 2]"], "It is 8080.")
    governed.talk(session, "Thanks.")
    outcome = governed.operate(session, {"op": "forget", "ids": [slot], "names": ["token"]})
    assert [r.rule for r in outcome.rejections] == ["redact_not_json"]
