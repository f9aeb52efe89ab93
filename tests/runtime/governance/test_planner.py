"""What the planner does before a call: bands, passes, what is learned, and that no session is ever stuck."""

from __future__ import annotations

import random
from itertools import pairwise
from typing import Any

import pytest

from dcc.compiler.load import load_program
from dcc.compiler.program import Program
from dcc.runtime.compaction.compressors import ModelCompressor
from dcc.runtime.session import HostCompaction, Reply, Session, ToolCall, Usage
from dcc.runtime.store.memory import MemoryStore

ALL = {element: ["born", None] for element in ("user", "assistant", "think", "toolCall", "toolResult")}
COMPACT = {
    "fields": ["user", "assistant"],
    "compressors": {"summary": {"prompt": "{content}", "periodic": {"keep_recent_turns": 0}}},
}


def program(window: int = 100_000, /, **sections: Any) -> Program:
    return load_program({"name": "x", "life_cycle": ALL, "governance": {"window": window}} | sections)


def text(tokens: int, seed: object = 0) -> str:
    """Lines of about so many tokens, never twice the same."""
    chosen = random.Random(str(seed))
    words = (f"{chosen.randrange(10**5):05d} word" for _ in range(tokens * 10 // 33))
    return "".join(f"{word}\n" for word in words)


def step(session: Session, n: int, tokens: int, *, path: str | None = None, usage: Usage | None = None) -> int:
    """One call of a tool loop, with its result; gives how long its request was thought to be."""
    session.request()
    used = session._planner.used()
    call = ToolCall(f"c{n}", "read", {"path": path or f"{n}.py"})
    session.add_reply(Reply(f"step {n}", calls=(call,), usage=usage))
    session.add_result(f"c{n}", text(tokens, path or n))
    return used


def loop(session: Session, calls: int, tokens: int) -> list[int]:
    """A turn of so many calls, each with a result of so many tokens; gives how long its requests were thought to be."""
    session.begin("do it")
    used = [step(session, n, tokens) for n in range(calls)]
    session.request()
    used.append(session._planner.used())
    session.add_reply(Reply("done"))
    session.commit()
    return used


def codes(session: Session) -> list[str]:
    return [code for code, _ in session.take_happenings().notices]


def reduced(session: Session) -> set[str]:
    """The slots on stage that are not full."""
    return {slot for slot, presence in session._recorder.stage.shown.items() if presence.how != "full"}


def test_sixty_calls_break_the_cache_four_times_and_never_reach_the_limit() -> None:
    session = Session.create(program(), system="You are brief.")
    used = loop(session, 60, 5_000)
    happenings = session.take_happenings()
    assert len(happenings.breaks) <= 4
    assert {cause for _, _, cause in happenings.breaks} == {"critical_pass"}
    assert len(happenings.notices) == len(happenings.breaks)
    assert max(used) < 80_750
    assert min(after for before, after in pairwise(used) if after < before) <= 85_000 // 4


def test_without_limits_nothing_happens() -> None:
    session = Session.create(load_program({"name": "x", "life_cycle": ALL}))
    loop(session, 30, 5_000)
    assert reduced(session) == set()
    assert session._recorder.ledger.calibration is None


def test_a_pass_can_be_undone_and_what_came_back_is_left_alone() -> None:
    session = Session.create(program())
    session.begin("do it")
    for n in range(17):
        step(session, n, 5_000)
    session.request()
    first = reduced(session)
    assert first
    session.fail("provider")
    session.undo()
    assert reduced(session) == set()
    session.request()
    assert not reduced(session) & first


@pytest.mark.parametrize("line", ["", "/constraint {} refresh none\n"], ids=["before the turn", "in the turn"])
def test_a_pass_survives_the_turn_that_it_was_made_for(line: str) -> None:
    store = MemoryStore()
    session = Session.create(program(), store=store)
    session.begin("do it")
    for n in range(15):
        step(session, n, 5_000)
    session.request()
    session.add_reply(Reply(text(3_000)))
    session.commit()
    more = text(4_000, "more")
    session.begin(line.format(more.replace("\n", " ")) + "go on" if line else more)
    session.request()
    before = reduced(session)
    assert before
    session.fail("provider")
    assert session.turn == 1
    assert reduced(session) == before
    again = Session.open(store, session.program)
    assert again.state_hash() == session.state_hash()
    again.undo()
    assert reduced(again) == set()


def test_results_too_large_for_the_window_get_a_preview_and_come_back_whole() -> None:
    session = Session.create(program(131_072))
    session.begin("do it")
    contents = {f"c{n}": text(size, n) for n, size in enumerate((81_000, 63_000, 56_700))}
    session.request()
    session.add_reply(Reply(calls=tuple(ToolCall(i, "read", {"path": i}) for i in contents)))
    slots = {session.add_result(i, content): content for i, content in contents.items()}
    request = session.request()
    assert request.tokens < 0.85 * 131_072
    results = [message["content"] for message in request.messages if message["role"] == "tool"]
    for shown, content in zip(results, contents.values(), strict=True):
        head, _, rest = shown.partition("artifact://")
        assert head == ""
        address = "artifact://" + rest.split()[0]
        assert session.artifact(address) == content
        assert content[:200] in shown
        assert content.rstrip("\n")[-200:] in shown
    assert reduced(session) == set(slots)


def test_a_context_that_cannot_be_freed_is_told_once_with_where_its_tokens_are() -> None:
    session = Session.create(program(10_000))
    session.begin(text(9_000))
    session.request()
    session.add_reply(Reply(calls=(ToolCall("c1", "read", {}),)))
    session.add_result("c1", "short")
    session.request()
    session.add_reply(Reply("ok"))
    session.commit()
    notices = session.take_happenings().notices
    assert [code for code, _ in notices] == ["budget_infeasible"]
    assert "system and tools 0, protected 9," in notices[0][1]


def test_a_system_prompt_above_the_limit_leads_to_no_pass() -> None:
    session = Session.create(program(32_768), system=text(29_000))
    for _ in range(3):
        session.begin("hello")
        session.request()
        session.add_reply(Reply("hi"))
        session.commit()
    notices = session.take_happenings().notices
    assert [code for code, _ in notices] == ["budget_infeasible"]
    assert "system and tools 29," in notices[0][1]


def test_usage_teaches_and_is_known_after_a_restart() -> None:
    store = MemoryStore()
    session = Session.create(program(), store=store, system="You are brief.")
    session.begin("do it")
    for n in range(5):
        tokens = session.request().tokens
        step(session, n, 500, usage=Usage(10, 1, tokens + 9_990, 0))
    known = session._planner.calibration
    assert known.samples == 5
    assert known.overhead == pytest.approx(10_000 - 60 * 2, abs=200)
    again = Session.open(store, session.program)
    assert again._planner.calibration == known
    assert again._planner.used() == session._planner.used()


def test_usage_from_before_a_reduction_does_not_make_the_next_request_long() -> None:
    session = Session.create(program(compact=COMPACT), compressor=ModelCompressor(lambda prompt: "in short"))
    session.begin(text(60_000))
    tokens = session.request().tokens
    session.add_reply(Reply("ok", usage=Usage(tokens + 4_000)))
    session.commit()
    session.compact()
    session.begin("go on")
    session.request()
    assert session._planner.used() < 10_000
    session.add_reply(Reply("ok"))
    session.commit()
    assert codes(session) == ["compacted"]


def test_reports_of_something_else_teach_nothing() -> None:
    session = Session.create(program())
    session.begin("do it")
    step(session, 1, 100, usage=Usage(9_000, exact=False))
    step(session, 2, 100, usage=Usage())
    assert session._planner.calibration.samples == 0


def test_another_model_or_system_prompt_begins_anew() -> None:
    session = Session.create(program(), system="You are brief.")
    session.begin("do it")
    step(session, 1, 100, usage=Usage(9_000))
    session._planner.host = "another model"
    step(session, 2, 100, usage=Usage(3_000))
    assert session._planner.calibration.samples == 1
    step(session, 3, 100, usage=Usage(3_100))
    assert session._planner.calibration.samples == 2


def test_what_is_due_settles_when_the_must_act_band_is_reached() -> None:
    rows: dict[str, Any] = ALL | {"toolResult": {"end": "born+1 calls", "retire": "offload"}}
    session = Session.create(program(10_000, life_cycle=rows, settle={"every": 1_000}))
    session.begin("do it")
    for n in range(5):
        step(session, n, 1_000)
    session.request()
    assert reduced(session) == set()
    session.add_reply(Reply(calls=(ToolCall("x", "read", {}),)))
    session.add_result("x", text(1_500, "x"))
    session.request()
    assert reduced(session) == {f"toolResult@1{f'.{n}' if n > 1 else ''}" for n in range(1, 6)}
    session.add_reply(Reply("done"))
    session.commit()
    assert [cause for *_, cause in session.take_happenings().breaks] == ["settle"]


def test_compaction_follows_only_where_the_pass_left_the_request_over_and_is_told_with_it() -> None:
    session = Session.create(program(10_000, compact=COMPACT))
    for n in range(4):
        session.begin(text(1_800, n))
        session.request()
        session.add_reply(Reply("ok"))
        session.commit()
    assert codes(session) == []
    session.begin(text(1_000, "more"))
    request = session.request()
    assert request.tokens < 8_075
    assert "4_summary@4" in session.stage()
    session.add_reply(Reply("ok"))
    session.commit()
    assert codes(session) == ["compacted"]


@pytest.mark.parametrize("reason", ["manual", "threshold", "overflow"])
def test_a_host_need_not_compact_when_the_request_fits_again(reason: str) -> None:
    session = Session.create(program())
    session.begin("do it")
    for n in range(10):
        step(session, n, 5_000)
    assert session.on_host_compaction(reason) == HostCompaction(cancel=True)
    assert session._planner.used() <= 85_000 // 4


def test_a_host_goes_on_where_nothing_can_be_freed() -> None:
    session = Session.create(program(10_000))
    session.begin(text(9_000))
    session.request()
    session.add_reply(Reply("ok"))
    session.commit()
    for reason in ("threshold", "overflow"):
        assert session.on_host_compaction(reason) == HostCompaction(cancel=False)


def test_a_provider_that_refuses_is_believed_although_the_estimate_says_it_fits() -> None:
    session = Session.create(program())
    session.begin("hello")
    session.request()
    session.fail("overflow")
    assert session.on_host_compaction("threshold") == HostCompaction(cancel=True)
    assert session.on_host_compaction("overflow") == HostCompaction(cancel=False)


def test_kept_results_are_left_alone() -> None:
    session = Session.create(program())
    session.begin("do it")
    step(session, 0, 5_000)
    session.keep("toolResult@1")
    for n in range(1, 17):
        step(session, n, 5_000)
    session.request()
    assert reduced(session)
    assert "toolResult@1" not in reduced(session)


def test_a_pass_does_not_touch_what_a_request_in_progress_holds() -> None:
    session = Session.create(program())
    session.begin("do it")
    for n in range(15):
        step(session, n, 5_000)
    sent = session.request()
    session.on_host_compaction("threshold")
    assert session.request().messages == sent.messages
    session.add_reply(Reply("done"))
    assert all(visible.how == "full" for visible in session.projection(session.ordinal))


class Trimming:
    """A pruning step that would free so much, with so much behind it."""

    def __init__(self, freed: int, tail: int) -> None:
        self.freed, self.tail, self.done = freed, tail, 0
        self.is_cold = False

    def now(self) -> float:
        return 0.0

    def propose(self) -> Trimming:
        return self

    def carry_out(self) -> str:
        self.done += 1
        return "trimmed"


@pytest.mark.parametrize(("tail", "done"), [(100, True), (70_000, False)])
def test_pruning_below_the_critical_limit_must_be_worth_the_break(tail: int, done: bool) -> None:
    session = Session.create(program())
    session._planner.pruning = pruning = Trimming(5_000, tail)
    session.begin("do it")
    for n in range(14):
        step(session, n, 5_000)
    assert session._planner.band() == "must_act"
    session.request()
    assert (pruning.done > 0) is done
