"""What a turn costs: with a long ledger behind it, and with a large stage in front of it."""

from __future__ import annotations

from statistics import median
from time import perf_counter
from typing import Any

from dcc.runtime.session import Reply, Session, ToolCall

from .history import CALL_ID, PROGRAM, stored

ON_STAGE = 200
SHORT, LONG = 1_000, 100_000
LARGE_STAGE = 10_000


def run(quick: bool) -> dict[str, float]:
    """Medians in milliseconds; ``turn_ratio`` is the turn with the long ledger over that with the short one."""
    long = LONG // 50 if quick else LONG
    sessions = [Session.open(stored(slots, ON_STAGE), PROGRAM) for slots in (SHORT, long)]
    seconds: list[list[float]] = [[], []]
    for _ in range(20 if quick else 1_000):
        for session, taken in zip(sessions, seconds, strict=True):
            start = perf_counter()
            turn_of_two_calls(session)
            taken.append(perf_counter() - start)
    short_ms, long_ms = (median(taken) * 1e3 for taken in seconds)
    return {
        "turn_1k_ms": short_ms,
        "turn_100k_ms": long_ms,
        "turn_ratio": long_ms / short_ms,
        "stage_10k_ms": large_stage(quick),
    }


def turn_of_two_calls(session: Session) -> None:
    """A message, a tool call with its result, an answer: begun, requested twice, committed in memory."""
    session.begin("what does the file say?")
    session.request()
    session.add_reply(Reply(calls=(ToolCall(CALL_ID, "read", {"path": "a.py"}),)))
    session.add_result(CALL_ID, "a short file")
    session.request()
    session.add_reply(Reply("It says nothing."))
    session.commit()


def large_stage(quick: bool) -> float:
    """Milliseconds of begin and request with ``LARGE_STAGE`` slots on stage. Raises AssertionError on P1."""
    slots = LARGE_STAGE // 50 if quick else LARGE_STAGE
    session = Session.open(stored(slots, slots), PROGRAM)
    seconds = []
    for _ in range(5 if quick else 200):
        start = perf_counter()
        session.begin("and now?")
        request = session.request()
        seconds.append(perf_counter() - start)
        assert len(request.visible) > slots // 2
        assert_answered(list(request.messages))
        session.add_reply(Reply("Now this."))
        session.commit()
    return median(seconds) * 1e3


def assert_answered(messages: list[dict[str, Any]]) -> None:
    """P1: every tool call is answered once, right after its message, and no answer is an orphan."""
    waiting: list[str] = []
    for message in messages:
        if message["role"] == "tool":
            waiting.remove(message["tool_call_id"])
        else:
            assert not waiting
            waiting = [call["id"] for call in message.get("tool_calls", ())]
    assert not waiting
