"""A note in which a redacted value stands: the ref is without it from the next request on, in this process too."""

from __future__ import annotations

from pathlib import Path

import governed
import pytest

from dcc.runtime.session import Format, Reply, Session, SessionError
from dcc.runtime.store.interface import Store
from dcc.runtime.store.memory import MemoryStore
from dcc.runtime.store.sqlite import SqliteStore
from dcc.runtime.store.verifying import verify

FORMATS: tuple[Format, ...] = ("openai", "anthropic", "pi")
REDACT = {"op": "redact", "ids": ["toolResult@1.2"], "drop": ["token"]}
OFFLOAD = {
    "op": "payload_offload", "ids": ["toolResult@1"], "description": "d", "retrieval_hint": "h",
    "content": f"the token is {governed.SECRET}",
}  # fmt: skip


def noted(store: Store | None = None) -> Session:
    """The conversation with a note that was in a request."""
    session = governed.governed(store=store)
    assert governed.operate(session, OFFLOAD).ok
    governed.talk(session, "Go on.")
    assert governed.SECRET in str(session.messages())
    return session


@pytest.mark.parametrize("format", FORMATS)
def test_no_request_shows_it_any_more(format: Format) -> None:
    session = noted()
    before = session.tokens()
    outcome = governed.operate(session, REDACT)
    assert outcome.ok, outcome.rejections
    assert session.tokens() - before == outcome.delta_tokens
    opened = Session.open(session._recorder.store, governed.program())
    assert opened.state_hash() == session.state_hash()
    requests = []
    for one in (session, opened):
        one.begin("and?")
        requests.append(one.request(format))
    for request in requests:
        assert governed.SECRET not in str(request.messages)
        assert "artifact://" in str(request.messages), "the ref stays"
        assert request.tokens == sum(v.tokens for v in request.visible)
    assert requests[0].messages == requests[1].messages
    assert requests[0].prefix_kept == requests[1].prefix_kept


def test_a_redaction_in_a_tool_loop_acts_from_the_next_request_on_and_is_a_break() -> None:
    session = governed.governed(loop=True)
    assert governed.operate(session, OFFLOAD).ok
    session.add_result("b", "b")
    assert governed.SECRET in str(session.request().messages)
    session.add_reply(Reply("", calls=()))
    session.commit()
    session.begin("On.")
    session.request()
    session.add_reply(Reply("done"))
    session.take_happenings()
    assert governed.operate(session, REDACT).ok
    session.commit()
    session.begin("and?")
    assert governed.SECRET not in str(session.request().messages)
    session.add_reply(Reply("fine"))
    assert [cause for *_, cause in session.take_happenings().breaks] == ["op"]


def test_a_past_request_is_told_without_it_though_the_same_note_is_written_again() -> None:
    session = noted()
    call = session.ordinal
    assert governed.operate(session, REDACT).ok
    told = session.projection(call)
    assert {v.slot: v.how for v in told}["toolResult@1"] == "ref"
    assert governed.operate(session, {"op": "restore", "ids": ["toolResult@1"]}).ok
    assert governed.operate(session, OFFLOAD).ok
    assert governed.SECRET in str(session.messages()), "a note that is written anew is a new fact"
    assert session.projection(call) == told
    assert Session.open(session._recorder.store, governed.program()).projection(call) == told


def test_an_undo_does_not_bring_it_back() -> None:
    session = noted()
    restored = governed.operate(session, {"op": "restore", "ids": ["toolResult@1"]})
    assert governed.operate(session, REDACT).ok
    with pytest.raises(SessionError) as error:
        session.undo_transaction(restored.transaction)
    assert error.value.code == "undo_blocked"
    assert "note was deleted" in str(session.why("toolResult@1"))
    assert "toolResult@1" in session.governance.newest()[-1].slots


@pytest.mark.parametrize("every", [3, 2_000])
def test_it_is_so_in_a_file(every: int, tmp_path: Path) -> None:
    path = tmp_path / "sessions.db"
    with noted(SqliteStore(path, "one", every=every)) as session:
        assert governed.operate(session, REDACT).ok
        state, messages, tokens = session.state_hash(), session.messages(), session.tokens()
    assert all(governed.SECRET.encode() not in file.read_bytes() for file in tmp_path.iterdir())
    store = SqliteStore(path, "one", every=every)
    assert verify(store).difference is None
    with Session.open(store, governed.program()) as session:
        assert (session.state_hash(), session.messages(), session.tokens()) == (state, messages, tokens)
        session.begin("and?")
        assert session.request().tail is not None, "the budget is counted"


def test_a_store_in_memory_says_the_same() -> None:
    store = MemoryStore()
    session = noted(store)
    assert governed.operate(session, REDACT).ok
    assert store.holding(governed.SECRET) == []
