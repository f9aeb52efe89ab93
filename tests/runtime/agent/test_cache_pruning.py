"""Pruning in a session: before a call after a pause, sticky, with its time in the events, and undone like any other."""

from __future__ import annotations

from typing import Any

import pytest

from dcc.compiler.load import load_program
from dcc.compiler.program import Program
from dcc.runtime.kernel.clock import ManualClock
from dcc.runtime.purging import purge
from dcc.runtime.session import GovernanceFlags, Reply, Session, ToolCall
from dcc.runtime.store.memory import MemoryStore

WINDOW = 20_000


def program(**pruning: Any) -> Program:
    section = {"mode": "cache-ttl", "ttl": "5m", "keep_last_assistants": 2, "min_prunable_tool_chars": 0} | pruning
    return load_program({"name": "x", "life_cycle": {"toolResult": ["born", None]}, "pruning": section})


def lines(n: int, characters: int = 12_000) -> str:
    return "".join(f"{n} {i:05d} a line\n" for i in range(characters // 16))


def call(session: Session, n: int, tool: str = "read", content: str | None = None) -> None:
    session.request()
    session.add_reply(Reply(calls=(ToolCall(f"c{n}", tool, {"path": str(n)}),)))
    session.add_result(f"c{n}", lines(n) if content is None else content)


def begun(
    clock: ManualClock, *, store: MemoryStore | None = None, window: int = WINDOW, **pruning: Any
) -> Session:
    """A session whose first turn has read two long files, and whose second is open."""
    session = Session.create(program(**pruning), store=store, clock=clock, flags=GovernanceFlags(window=window))
    session.begin("read")
    call(session, 1)
    call(session, 2)
    session.request()
    session.add_reply(Reply("read"))
    session.commit()
    return session


def shown(session: Session) -> list[str]:
    return [m["content"] for m in session.request().messages if m["role"] == "tool"]


def test_after_a_pause_old_results_are_trimmed_and_stay_so() -> None:
    clock, store = ManualClock(), MemoryStore()
    session = begun(clock, store=store, soft_trim_ratio=0.1)
    clock.advance(299)
    session.begin("soon")
    assert shown(session) == [lines(1), lines(2)]
    session.fail("provider")
    clock.advance(1)
    session.begin("later")
    first, second = shown(session)
    assert first.startswith(lines(1)[:1_500] + "\n...\n" + lines(1)[-1_500:])
    assert "artifact://" in first
    assert session.artifact(first[first.index("artifact://") :].split()[0]) == lines(1)
    assert second == lines(2)
    session.add_reply(Reply("ok"))
    session.commit()
    happened = session.take_happenings()
    assert [code for code, _ in happened.notices] == ["pruned"]
    assert [cause for _, _, cause in happened.breaks] == ["pruning"]
    past = [visible.how for visible in session.projection(3) if visible.element == "toolResult"]
    assert past == ["full", "full"], "what a request held stays as it was"
    session.begin("at once")
    assert shown(session) == [first, lines(2)]
    session.fail("provider")
    clock.advance(600)
    session.begin("much later")
    assert shown(session)[0] == first
    assert shown(session)[1] != lines(2)


def test_the_events_hold_the_time_that_was_seen() -> None:
    clock = ManualClock()
    session = begun(clock)
    clock.advance(360)
    session.begin("later")
    session.request()
    events = [e for e in session._recorder.events(0) if e.cause == "pruning" and e.kind == "represented"]
    assert [event.data["at"] for event in events] == [clock.now()]


def test_pruning_survives_the_turn_that_it_was_made_for_and_can_be_undone() -> None:
    clock, store = ManualClock(), MemoryStore()
    session = begun(clock, store=store)
    clock.advance(360)
    session.begin("later")
    pruned = shown(session)
    session.fail("provider")
    assert session.turn == 1
    session.begin("again")
    assert shown(session) == pruned
    session.fail("provider")
    again = Session.open(store, session.program, clock=clock, flags=GovernanceFlags(window=WINDOW))
    assert again.state_hash() == session.state_hash()
    again.begin("and again")
    assert shown(again) == pruned
    again.fail("provider")
    again.undo()
    again.begin("whole")
    assert shown(again) == [lines(1), lines(2)], "what an undo brought back is left alone"


def test_trimmed_results_are_cleared_where_the_context_is_still_full() -> None:
    clock = ManualClock()
    session = begun(clock, window=2 * WINDOW, hard_clear_ratio=0.15)
    for n in (3, 4, 5):
        session.begin("more")
        call(session, n)
        session.request()
        session.add_reply(Reply("read"))
        session.commit()
    clock.advance(360)
    session.begin("later")
    first = shown(session)
    assert first[0].startswith("[Old tool result content cleared]\nartifact://")
    assert first[-1] == lines(5)


def test_a_ruleset_says_which_tools_and_nothing_else_is_pruned() -> None:
    clock = ManualClock()
    session = begun(clock, tools={"deny": ["read"]})
    clock.advance(360)
    session.begin("later")
    assert shown(session) == [lines(1), lines(2)]


def test_kept_results_are_spared() -> None:
    clock = ManualClock()
    session = begun(clock)
    session.keep("toolResult@1")
    clock.advance(360)
    session.begin("later")
    assert shown(session) == [lines(1), lines(2)]


def test_where_nothing_is_to_be_pruned_no_time_is_noted() -> None:
    session = begun(ManualClock(), mode="off")
    assert session._recorder.ledger.calibration is None


@pytest.mark.parametrize("reopened", [False, True])
def test_the_pause_is_counted_from_the_last_reply_not_from_the_turn(reopened: bool) -> None:
    clock, store = ManualClock(), MemoryStore()
    session = begun(clock, store=store)
    session.begin("long")
    for n in (3, 4, 5):
        clock.advance(200)
        call(session, n, content="short")
    assert shown(session)[:2] == [lines(1), lines(2)]
    session.fail("provider")
    clock.advance(200)
    if reopened:
        session = Session.open(store, session.program, clock=clock, flags=GovernanceFlags(window=WINDOW))
    assert shown(session)[:2] == [lines(1), lines(2)]
    session.fail("provider")
    clock.advance(100)
    assert shown(session)[0] != lines(1)


def test_a_result_whose_content_was_deleted_is_passed_over() -> None:
    clock = ManualClock()
    session = begun(clock, soft_trim_ratio=0.1)
    recorder = session._recorder
    with recorder.transaction("purge") as emit:
        purge(recorder, emit, [recorder.ledger.slots["toolResult@1"].digest])
    session.begin("later")
    session.request()
    session.add_reply(Reply("ok"))
    session.commit()
    clock.advance(301)
    session.begin("much later")
    first, second = shown(session)
    assert first == "[purged]"
    assert "[trimmed:" in second
