"""A redaction and what is no slot: notices go with the values they quote, names and labels stand in its way."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import governed
import pytest

from dcc.compiler.load import load_program
from dcc.runtime.governance.in_events import said_in
from dcc.runtime.kernel.events import Event
from dcc.runtime.recorder import REDACTED
from dcc.runtime.session import Reply, Session, ToolCall
from dcc.runtime.store.forking import fork_session
from dcc.runtime.store.sqlite import SqliteStore
from dcc.runtime.store.transfer import export_session, import_session
from dcc.runtime.store.verifying import verify

SECRET = governed.SECRET
REDACT = {"op": "redact", "ids": ["toolResult@1.2"], "drop": ["token"]}


def stored(folder: Path, every: int = 3) -> Session:
    """The conversation in a file of its own."""
    return governed.governed(store=SqliteStore(folder / "sessions.db", "one", every=every))


def refusal(session: Session) -> str:
    """Why the value may not be redacted; nothing is left undone by it."""
    before = session.state_hash()
    outcome = governed.operate(session, REDACT)
    assert [r.rule for r in outcome.rejections] == ["redact_elsewhere"]
    assert session.state_hash() == before
    return str(outcome.rejections[0].message)


def is_in_file(folder: Path) -> bool:
    return any(SECRET.encode() in part.read_bytes() for part in folder.iterdir())


@pytest.mark.parametrize(
    "message", [f"/{SECRET} is my token", f"/tokens {SECRET} remain 9999999"], ids=["a name", "a number that is none"]
)
def test_the_notice_of_a_turn_that_failed_goes_with_the_value(message: str, tmp_path: Path) -> None:
    """The message was never born, what dcc said of it was: no person can take it back."""
    session = stored(tmp_path)
    session.begin(message)
    session.request()
    session.fail("provider")
    assert SECRET in str(session.take_happenings().notices)
    outcome = governed.operate(session, REDACT)
    assert outcome.ok, outcome.rejections
    assert outcome.purged == ("toolResult@1.2",)
    assert not is_in_file(tmp_path)
    notices = [event for event in session._recorder.events(0) if event.kind == "notice"]
    assert REDACTED in [session._recorder.message_of(notice) for notice in notices]
    governed.talk(session, "Go on.")
    session.__exit__(None, None, None)
    assert verify(SqliteStore(tmp_path / "sessions.db", "one", read_only=True)).difference is None
    assert not is_in_file(tmp_path)


def test_a_notice_that_went_is_gone_in_a_fork_and_in_an_export_too(tmp_path: Path) -> None:
    session = stored(tmp_path)
    session.begin(f"/{SECRET} is my token")
    session.request()
    session.fail("provider")
    path = tmp_path / "sessions.db"
    fork_session(path, "one", "two")
    assert governed.operate(session, REDACT).ok
    session.__exit__(None, None, None)
    exported = tmp_path / "one.jsonl"
    store = SqliteStore(path, "one")
    with exported.open("wb") as out:
        export_session(store, "one", out)
    store.close()
    import_session(exported, path, "three")
    for name in ("one", "two", "three"):
        assert verify(SqliteStore(path, name, read_only=True)).difference is None
        again = Session.open(SqliteStore(path, name), governed.program())
        notices = [again._recorder.message_of(e) for e in again._recorder.events(0) if e.kind == "notice"]
        lost = "another session of the file has redacted what toolResult@1.2 held: it is gone here, too"
        assert notices == ([REDACTED, lost] if name == "two" else [REDACTED])
        again.__exit__(None, None, None)
    assert not is_in_file(tmp_path)


def test_a_notice_of_what_survives_a_failed_turn_still_says_it() -> None:
    session = governed.governed(max_context=1_500)
    session.begin("And then?")
    session.request()
    session.fail("provider")
    told = [message for code, message in session.take_happenings().notices if code == "critical_pass"]
    assert len(told) == 1
    assert "tokens fewer" in told[0]


def test_the_name_of_an_element_stands_in_its_way(tmp_path: Path) -> None:
    session = stored(tmp_path)
    session.begin(f"/{SECRET} the note remain 1\nhello")
    session.request()
    session.fail("provider")
    assert f"the element name {SECRET}" in refusal(session)


def test_labels_stand_in_its_way(tmp_path: Path) -> None:
    session = stored(tmp_path)
    session.begin("hello", labels={"type": "trap", "source": {"key": SECRET}})
    session.request()
    session.add_reply(Reply("hi"))
    session.commit()
    assert "a label of turn 3" in refusal(session)


def test_the_labels_of_a_turn_that_failed_are_nowhere(tmp_path: Path) -> None:
    session = stored(tmp_path)
    session.begin("hello", labels={"source": SECRET})
    session.request()
    session.fail("provider")
    assert governed.operate(session, REDACT).ok
    assert not is_in_file(tmp_path)


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (ToolCall("c", SECRET, {}), "the tool name of toolCall@3"),
        (ToolCall(SECRET, "read", {}), "the call id of toolCall@3"),
        (ToolCall("c", "read", {"path": SECRET}), "the key of toolResult@3"),
    ],
    ids=["tool", "id", "key"],
)
def test_what_a_call_is_known_by_stands_in_its_way(call: ToolCall, named: str) -> None:
    rules = {"toolResult": ["born", None], "file": {"of": "toolResult", "match": {"tool": "read"}, "key": "args.path"}}
    program = load_program({
        "name": "keyed", "life_cycle": rules, "governance": {"ops": "cpat", "window": 100_000, "gates": ["redact"]},
    })  # fmt: skip
    session = Session.create(program)
    governed.talk(session, "Find it.", [governed.OBJECT], "Found.")
    governed.talk(session, "And the host?")
    session.begin("Look.")
    session.request()
    session.add_reply(Reply("", calls=(call,)))
    session.add_result(call.id, "nothing")
    session.request()
    session.add_reply(Reply("done"))
    session.commit()
    outcome = governed.operate(session, {**REDACT, "ids": ["toolResult@1"]})
    assert [r.rule for r in outcome.rejections] == ["redact_elsewhere"]
    assert named in outcome.rejections[0].message


def test_a_text_that_an_undo_took_back_goes_with_the_rest() -> None:
    session = governed.governed()
    replaced = governed.operate(session, {"op": "replace", "ids": ["assistant@1"], "content": f"The key is {SECRET}."})
    session.undo(1)
    outcome = governed.operate(session, REDACT)
    assert outcome.ok, outcome.rejections
    assert set(outcome.purged) == {"toolResult@1.2", *replaced.created}


def test_a_summary_that_an_undo_took_back_goes_with_the_rest(tmp_path: Path) -> None:
    session = stored(tmp_path)
    folded = governed.operate(session, {
        "op": "fold", "ids": ["assistant@1", "toolCall@1", "toolResult@1"], "description": "tokens",
        "content": f"the token is {SECRET}", "scope_label": "reading",
    })  # fmt: skip
    assert folded.ok, folded.rejections
    (summary,) = folded.created
    governed.talk(session, "Is it there?")
    held = session.ordinal
    assert summary in refusal(session)
    session.undo(1)
    outcome = governed.operate(session, REDACT)
    assert outcome.ok, outcome.rejections
    assert set(outcome.purged) == {"toolResult@1.2", summary}
    assert not is_in_file(tmp_path)
    assert summary in [visible.slot for visible in session.projection(held)]
    state = session.state_hash()
    session.__exit__(None, None, None)
    again = Session.open(SqliteStore(tmp_path / "sessions.db", "one"), governed.program())
    assert again.state_hash() == state
    again.__exit__(None, None, None)


@pytest.mark.parametrize(
    ("kind", "data", "said"),
    [
        ("notice", {"code": "hint", "message": "as told"}, [("a notice of turn 2", "as told")]),
        ("operated", {"reason": "as given"}, [("the reason of a transaction in turn 2", "as given")]),
        ("session", {"folder": "/srv/x"}, [("the folder of the session", "/srv/x")]),
        ("notice", {"code": "hint", "said": "00"}, []),
        ("turn_begun", {"labels": None, "at": 1.0}, []),
        ("turn_begun", {"labels": {"a": 4711}}, [("a label of turn 3", '{"a": 4711}')]),
        ("canon", {"do": "touched", "places": [["src/a", "a.py"]]},
         [("what canon noted in turn 2", '{"do": "touched", "places": [["src/a", "a.py"]]}')]),
        ("kept", {"slot": "user@1"}, []),
    ],
)  # fmt: skip
def test_what_events_say_in_their_own_words(kind: str, data: dict[str, Any], said: list[tuple[str, str]]) -> None:
    """Those of sessions that an earlier dcc began too."""
    assert list(said_in(Event(1, 2, 3, 4, kind, "test", data))) == said


@pytest.mark.parametrize(
    ("id", "name", "what"),
    [
        ("one", f"looks for {SECRET}", "the name of the session holds"),
        (f"one-{SECRET}", "", "the id of the session holds"),
    ],
    ids=["name", "id"],
)
def test_what_a_session_is_called_stands_in_its_way(id: str, name: str, what: str, tmp_path: Path) -> None:
    """A person chose it, and finds the session by it: no redaction changes it."""
    session = governed.governed(store=SqliteStore(tmp_path / "sessions.db", id, name=name))
    assert what in refusal(session)
    assert SECRET not in refusal(session)


@pytest.mark.parametrize(
    ("id", "name", "what"), [("two", SECRET, "the name of another session"), (SECRET, "", "the id of another session")]
)
def test_what_a_fork_is_called_stands_in_its_way_too(id: str, name: str, what: str, tmp_path: Path) -> None:
    """It holds the same content, and would lose it."""
    session = stored(tmp_path)
    fork_session(tmp_path / "sessions.db", "one", id, name=name)
    assert what in refusal(session)


def test_what_a_session_with_other_contents_is_called_does_not(tmp_path: Path) -> None:
    session = stored(tmp_path)
    with Session.create(load_program("standard"), store=SqliteStore(tmp_path / "sessions.db", SECRET)):
        assert governed.operate(session, REDACT).ok
