"""Corners of retirement and settling that random histories have found (language.md section 2)."""

from __future__ import annotations

import re
from typing import Any

from dcc.compiler.program import ElementRow, Match, Program, Rule
from dcc.grammar.ast import BORN, OPEN, Bound
from dcc.runtime.kernel.clock import ManualClock
from dcc.runtime.session import Reply, Request, Session, ToolCall

LONG = ("much to read " * 40).strip()
WRITTEN = ("x = 1; " * 40).strip()
_ADDRESS = re.compile("artifact://[0-9a-f]{16}")
_NEXT_CALL = Rule(BORN, Bound("born", 1, "calls"))
_EDITS = ElementRow("edits", _NEXT_CALL, "chain", (Match("tool", "equal", ("edit",)),), retire="offload")


def session_of(*rows: ElementRow) -> Session:
    """A session in its first turn, under these rows."""
    program = Program("rows", "0" * 64, {row.name: row for row in rows}, declared=frozenset(r.name for r in rows))
    session = Session.create(program, clock=ManualClock())
    session.begin("look")
    return session


def call(session: Session, result: str = LONG, tool: str = "edit", **args: Any) -> Request:
    """One call with one tool; returns the request that it answered."""
    request = session.request()
    session.add_reply(Reply(calls=(ToolCall("c", tool, args),)))
    session.add_result("c", result)
    return request


def shown(request: Request, slot: str) -> tuple[str, bool]:
    """How a request shows a slot, and whether it is on stage."""
    return next((v.how, v.on_stage) for v in request.visible if v.slot == slot)


def settles(session: Session) -> int:
    """How many settles are in the history."""
    return sum(t.cause == "settle" for t in session._recorder.ledger.history)


def test_a_result_that_starts_later_is_read_before_it_is_retired() -> None:
    late = Rule(Bound("born", 1), Bound("idle", 1, "calls"))
    session = session_of(ElementRow("toolResult", late, retire="offload"))
    call(session)
    call(session, tool="ls")
    session.request()
    session.add_reply(Reply("done"))
    session.commit()
    session.begin("more")
    assert shown(call(session), "toolResult@1") == ("full", True)
    assert shown(session.request(), "toolResult@1") == ("ref", True)


def test_a_chain_with_a_short_result_is_reduced_once() -> None:
    session = session_of(_EDITS)
    call(session, "ok", content=WRITTEN)
    call(session, tool="ls")
    call(session, tool="ls")
    call(session, tool="ls")
    assert settles(session) == 1
    session.undo()
    call(session, tool="ls")
    assert shown(session.request(), "toolCall@1") == ("full", True)


def test_a_call_without_long_arguments_is_not_reduced() -> None:
    session = session_of(ElementRow("toolCall", _NEXT_CALL, retire="offload"))
    call(session, many="short ones", but="all together longer than what would stand for them", if_="anything did")
    call(session)
    session.request()
    assert settles(session) == 0


def test_the_arguments_of_a_reduced_call_are_artifacts() -> None:
    session = session_of(_EDITS)
    call(session, content=WRITTEN)
    session.represent("toolCall@1", "ref")
    assert _artifacts(session, call(session, tool="ls")) == {WRITTEN}


def test_the_artifacts_of_a_settle_outlive_a_turn_that_is_taken_back() -> None:
    session = session_of(_EDITS)
    call(session, "ok", content=WRITTEN)
    call(session, "ok", tool="ls")
    session.abort()
    session.begin("again")
    session.request()
    session.fail("provider")
    session.begin("and again")
    request = session.request()
    session.add_reply(Reply("done"))
    assert _artifacts(session, request) == {WRITTEN}
    assert session.take_happenings().breaks[-1][2] == "settle"


def test_keep_last_counts_every_slot_of_the_row() -> None:
    session = session_of(ElementRow("toolResult", _NEXT_CALL, keep_last=1), ElementRow("user", Rule(BORN, OPEN)))
    call(session)
    session.patch_rule("toolResult", "born", None)
    call(session)
    call(session)
    assert shown(session.request(), "toolResult@1") == ("stub", False)


def _artifacts(session: Session, request: Request) -> set[Any]:
    """What the addresses in a request give back, one call after it."""
    return {session.artifact(address) for address in _ADDRESS.findall(repr(request.messages))}
