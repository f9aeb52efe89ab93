"""The report and the manifest depend on the state alone: not on when they were first asked for (kernel.md, P7)."""

from __future__ import annotations

import json

import governed

from dcc.compiler.load import load_program
from dcc.compiler.program import Program
from dcc.runtime.session import Reply, Session, ToolCall
from dcc.runtime.store.memory import MemoryStore


def largest(session: Session) -> list[str]:
    return [one["id"] for one in json.loads(session.governance.report())["largest"]]


def taken_up(store: MemoryStore, program: Program) -> Session:
    """The session as another process would find it."""
    copy = MemoryStore()
    copy.append(0, list(store.rows()), dict(store.held()))
    return Session.open(copy, program)


def test_a_reply_that_waited_for_its_results_is_among_the_largest() -> None:
    program, store = governed.program(), MemoryStore()
    session = Session.create(program, store=store)
    session.begin("Find the port.")
    session.request()
    session.add_reply(Reply("I will look in the notes.", calls=(ToolCall("a", "read", {"path": "a"}),)))
    session = taken_up(store, program)
    session.governance.status()
    session.add_result("a", "8080")
    session.request()
    assert largest(session) == largest(taken_up(session._recorder.store, program)) == ["assistant@1", "toolResult@1"]


def _later() -> Program:
    """Replies are on stage from the turn after the next one on."""
    return load_program({
        "name": "later", "life_cycle": {"assistant": ["born+2", None]},
        "governance": {"ops": "cpat", "window": 100_000},
    })  # fmt: skip


def test_a_slot_that_the_clock_brings_is_among_the_largest() -> None:
    session = Session.create(_later())
    for text in ("one", "two"):
        governed.talk(session, text, reply=f"{text} is a number")
        assert largest(session) == []
    session.begin("three")
    session.request()
    assert largest(session) == ["assistant@1"]


def test_a_slot_that_leaves_with_a_turn_that_fails_is_among_the_largest() -> None:
    program = load_program({
        "name": "brief", "life_cycle": {"assistant": ["born", "born+1"]},
        "governance": {"ops": "cpat", "window": 100_000},
    })  # fmt: skip
    session = Session.create(program)
    governed.talk(session, "one", reply="one is a number")
    governed.talk(session, "two", reply="")
    assert largest(session) == ["assistant@1", "assistant@2"]
    session.begin("three")
    session.request()
    assert largest(session) == ["assistant@2"]
    session.fail("provider")
    assert largest(session) == ["assistant@1", "assistant@2"]
