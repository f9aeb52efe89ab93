"""Every operation can be taken back: by undo to the same state, and by the operation that it names as its reverse."""

from __future__ import annotations

from typing import Any

import governed
import pytest
from legality import check_anthropic, check_openai, check_pi

from dcc.runtime.session import Session, SessionError
from dcc.runtime.store.memory import MemoryStore

CHAIN = ["toolCall@1", "toolResult@1"]
SAID = {"description": "the file", "content": "the port is 8080"}
OFFLOAD: dict[str, Any] = {"op": "payload_offload", "ids": ["toolResult@1"], **SAID, "retrieval_hint": "for the text"}

OPERATIONS: dict[str, dict[str, Any]] = {
    "archived": {"op": "set_visibility", "ids": CHAIN},
    "hidden": {"op": "set_visibility", "ids": CHAIN, "visibility": "hidden"},
    "offloaded": OFFLOAD,
    "compact": {"op": "compact", "ids": CHAIN, **SAID, "preserve": ["8080"]},
    "fold": {"op": "fold", "ids": ["assistant@1", *CHAIN], **SAID, "scope_label": "reading"},
    "merge": {"op": "merge", "ids": [*CHAIN, "toolCall@1.2", "toolResult@1.2"], **SAID},
    "replaced text": {"op": "replace", "ids": ["assistant@1.3"], "content": "8080"},
    "replaced result": {"op": "replace", "ids": ["toolResult@1"], "content": "8080"},
}

#: What brings the sources back after an operation.
BACK: dict[str, list[dict[str, Any]]] = {
    "archived": [{"op": "set_visibility", "ids": CHAIN, "visibility": "model"}],
    "hidden": [{"op": "set_visibility", "ids": CHAIN, "visibility": "model"}],
    "offloaded": [{"op": "restore", "ids": ["toolResult@1"]}],
    "compact": [
        {"op": "set_visibility", "ids": CHAIN, "visibility": "model"},
        {"op": "set_visibility", "ids": ["summary@1"], "visibility": "hidden"},
    ],
}
FORMATS = ("openai", "anthropic", "pi")


def sendable(session: Session) -> None:
    """The context is legal in every format."""
    session.begin("go on")
    assert check_openai(session.request("openai").messages) == []
    request = session.request("anthropic")
    assert check_anthropic(request.system, request.messages) == []
    assert check_pi(session.request("pi").messages) == []
    session.fail("not sent")


@pytest.mark.parametrize("name", OPERATIONS)
def test_undo_gives_the_same_state(name: str) -> None:
    session = governed.governed()
    before, messages = session.state_hash(), session.messages()
    outcome = governed.operate(session, OPERATIONS[name])
    assert outcome.ok, outcome.rejections
    assert session.state_hash() != before
    assert session.messages() != messages
    sendable(session)
    session.undo_transaction(outcome.transaction)
    assert session.state_hash() == before
    assert session.messages() == messages


@pytest.mark.parametrize("name", OPERATIONS)
def test_undo_works_after_opening_the_session_again(name: str) -> None:
    store = MemoryStore()
    session = governed.governed(store=store)
    before = session.state_hash()
    outcome = governed.operate(session, OPERATIONS[name])
    after = session.state_hash()
    session = Session.open(store, session.program)
    assert session.state_hash() == after
    session.undo()
    assert session.state_hash() == before
    assert outcome.transaction is not None


@pytest.mark.parametrize("name", BACK)
def test_the_reverse_brings_everything_back(name: str) -> None:
    session = governed.governed()
    messages = session.messages()
    assert governed.operate(session, OPERATIONS[name]).ok
    outcome = governed.operate(session, *BACK[name])
    assert outcome.ok, outcome.rejections
    assert session.messages() == messages
    sendable(session)


@pytest.mark.parametrize("name", OPERATIONS)
def test_what_is_reported_is_what_the_counter_says(name: str) -> None:
    session = governed.governed()
    before = session.tokens()
    outcome = governed.operate(session, OPERATIONS[name])
    assert session.tokens() - before == outcome.delta_tokens
    assert outcome.freed_tokens == max(0, -outcome.delta_tokens)


@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.parametrize("format", FORMATS)
def test_the_next_request_changes_from_where_it_was_said(name: str, format: Any) -> None:
    session = governed.governed()
    session.begin("a turn in the format")
    sent = session.request(format).body
    session.fail("not sent")
    session.begin("a turn in the format")
    session.request(format)
    session.add_reply(governed.Reply("yes"))
    session.commit()
    outcome = governed.operate(session, OPERATIONS[name])
    session.begin("one more")
    now = session.request(format).body
    changed = next(n for n, (a, b) in enumerate(zip(sent, now, strict=False)) if a != b)
    assert outcome.prefix_break_at == changed


def test_in_a_tool_loop_an_operation_acts_from_the_request_after_the_results() -> None:
    session = governed.governed(loop=True)
    session.add_result("b", governed.LONG)
    session.request()
    session.add_reply(governed.Reply("", calls=(governed.ToolCall("c", "read", {}),)))
    before = session.messages()
    outcome = governed.operate(session, {**OFFLOAD, "ids": ["toolResult@3"]})
    assert outcome.ok, outcome.rejections
    assert session.messages() == before
    session.add_result("c", "more")
    assert "the port is 8080 (for the text)\\nartifact://" in str(session.messages())


def test_one_blocked_by_a_later_one_names_it() -> None:
    session = governed.governed()
    first = governed.operate(session, OFFLOAD)
    second = governed.operate(session, OPERATIONS["archived"])
    with pytest.raises(SessionError) as error:
        session.undo_transaction(first.transaction)
    assert error.value.code == "undo_blocked"
    assert f"#{second.transaction}" in error.value.message
    assert session.undo(2) == (second.transaction, first.transaction)
