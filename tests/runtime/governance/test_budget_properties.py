"""Random histories in a small window: what kernel.md section 6 promises holds, and passes run only where they help."""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from legality import check_anthropic, check_openai

from dcc.compiler.load import load_program
from dcc.compiler.program import Program
from dcc.runtime.folding import fold
from dcc.runtime.governance.critical import SMALLEST
from dcc.runtime.kernel.hashing import sum_of_rows
from dcc.runtime.session import Reply, Request, Session, SessionError, ToolCall, Usage, Visible
from dcc.runtime.store.memory import MemoryStore

#: A turn (sizes of its message and of the results of each call, whether it fails when), an act by name, a restart.
Step = tuple[Any, ...]

STAYS = {element: ["born", None] for element in ("user", "assistant", "think", "toolCall", "toolResult")}
SETTLES = STAYS | {"toolResult": {"end": "born+2 calls", "retire": "offload"}}
COMPACT = {
    "fields": ["user", "assistant"],
    "compressors": {"summary": {"prompt": "{content}", "periodic": {"keep_recent_turns": 1}}},
}
WINDOW = 6_000


@st.composite
def programs(draw: st.DrawFn) -> Program:
    rules: dict[str, Any] = {"name": "x", "life_cycle": draw(st.sampled_from((STAYS, SETTLES)))}
    rules["governance"] = {"window": WINDOW}
    if draw(st.booleans()):
        rules["settle"] = {"every": "50 calls"}
    if draw(st.booleans()):
        rules["compact"] = COMPACT
    return load_program(rules)


def text(tokens: int, chosen: random.Random) -> str:
    return "".join(f"{chosen.randrange(10**5):05d} word\n" for _ in range(tokens * 10 // 33 + 1))


class Talk:
    """Drives a session, and holds every request against what was promised."""

    def __init__(self, program: Program) -> None:
        self.store = MemoryStore()
        self.session = Session.create(program, store=self.store, system="You are brief.")
        self.chosen = random.Random(7)
        self.held: list[tuple[Visible, ...]] = []
        self.notices: list[tuple[str, str]] = []
        self.undone = False

    def turn(self, message: int, results: tuple[tuple[int, ...], ...], fails: int | None) -> None:
        typed = text(message, self.chosen)
        self.session.begin(typed, verbatim=True)
        for number, sizes in enumerate((*results, ())):
            request = self.ask(typed)
            if number == fails:
                self.session.fail("provider")
                if number == 0:
                    return
                self.session.abort()
                return
            calls = [
                ToolCall(f"c{n}", self.chosen.choice(("read", "edit")), {"path": f"{self.chosen.randrange(4)}.py"})
                for n in range(len(sizes))
            ]
            usage = Usage(request.tokens + 150) if self.chosen.random() < 0.7 else None
            self.session.add_reply(Reply(f"step {number}", calls=tuple(calls), usage=usage))
            self.held.append(request.visible)
            for call, size in zip(calls, sizes, strict=True):
                # Some results say the same as others.
                chosen = random.Random(size) if size % 2 else self.chosen
                self.session.add_result(call.id, text(size, chosen))
        self.session.commit()

    def ask(self, typed: str) -> Request:
        request = self.session.request()
        again = self.session.request()
        assert again.messages == request.messages
        assert check_openai(request.messages) == []
        anthropic = self.session.request("anthropic")
        assert check_anthropic(anthropic.system, anthropic.messages) == []
        self.session.request()
        shown = {slot.slot: slot for slot in request.visible}
        assert (shown["system@0"].how, shown["system@0"].on_stage) == ("full", True)
        assert any(message["role"] == "user" and message["content"] == typed for message in request.messages)
        self.check_limits(request)
        return request

    def check_limits(self, request: Request) -> None:
        """Above what may be used, nothing is left that is worth a pass: results that were read are addresses."""
        planner = self.session._planner
        limits, used, passes = planner.limits, planner.used(), planner._read().passes
        assert limits is not None
        if used <= limits.max_context or self.undone or not passes.may_run(used, limits):
            return
        held = set(self.held[-1]) if self.held else set()
        left = 0
        for slot in request.visible:
            if slot.element == "toolResult" and slot.tokens >= SMALLEST and slot in held and slot.how != "stub":
                marks = self.session._recorder.ledger.slots[slot.slot].marks
                left += 0 if marks is not None and marks.keeps else slot.tokens
        assert not passes.is_worth(used, left, limits) or left == 0

    def act(self, name: str, number: int) -> None:
        stage = self.session.stage()
        slot = stage[number % len(stage)]
        with suppress(SessionError):
            match name:
                case "undo":
                    self.undone = True
                    self.session.undo(1 + number % 2)
                case "keep":
                    self.session.keep(slot)
                case "unkeep":
                    self.session.unkeep("all")
                case "host":
                    before = self.session._planner.used()
                    answer = self.session.on_host_compaction(("manual", "threshold", "overflow")[number % 3])
                    assert self.session._planner.used() <= before
                    assert not answer.cancel or self.session._planner.band() != "critical"

    def restart(self) -> None:
        before = (self.session.state_hash(), self.session.stage(), self.session._planner.used())
        self.notices += self.session.take_happenings().notices
        self.session = Session.open(self.store, self.session.program)
        assert (self.session.state_hash(), self.session.stage(), self.session._planner.used()) == before

    def check_past(self) -> None:
        for ordinal, visible in enumerate(self.held, 1):
            assert self.session.projection(ordinal) == visible
        ledger, hash = fold(self.store)[:2]
        assert hash.total == sum_of_rows(ledger)


SIZES = st.sampled_from((10, 11, 200, 401, 700, 1_501, 2_000, 6_000))
RESULTS = st.lists(st.lists(SIZES, min_size=1, max_size=3).map(tuple), max_size=5).map(tuple)
TURNS = st.tuples(
    st.just("turn"), st.sampled_from((5, 5, 300, 5_500)), RESULTS, st.sampled_from((None, None, None, 0, 1))
)
ACTS = st.tuples(st.sampled_from(("undo", "keep", "unkeep", "host", "host")), st.integers(0, 99))
STEPS = st.lists(st.one_of(TURNS, TURNS, TURNS, ACTS, st.tuples(st.just("restart"))), min_size=3, max_size=10)


def run(program: Program, steps: list[Step], note: Callable[[Talk], None] = lambda talk: None) -> None:
    talk = Talk(program)
    for name, *args in steps:
        match name:
            case "turn":
                talk.turn(*args)
            case "restart":
                talk.restart()
            case _:
                talk.act(name, *args)
    talk.restart()
    talk.check_past()
    note(talk)


@given(programs(), STEPS)
@settings(max_examples=80, deadline=None)
def test_random_histories(program: Program, steps: list[Step]) -> None:
    run(program, steps)


@pytest.mark.slow
@given(programs(), STEPS)
@settings(max_examples=800, deadline=None)
def test_many_random_histories(program: Program, steps: list[Step]) -> None:
    run(program, steps)


def test_histories_have_passes_previews_archives_and_what_cannot_be_freed() -> None:
    """What the random histories are for does happen in them."""
    seen: set[str] = set()

    def note(talk: Talk) -> None:
        seen.update(code for code, _ in talk.notices)
        for slot in talk.session._recorder.ledger.slots.values():
            seen.update("preview" for shape in (slot.marks.shapes if slot.marks else ()) if shape.preview)
            seen.update("archived" for hold in (slot.marks.holds if slot.marks else ()) if hold.name.startswith("op:"))

    @given(programs(), STEPS)
    @settings(max_examples=60, deadline=None, database=None, derandomize=True)
    def histories(program: Program, steps: list[Step]) -> None:
        run(program, steps, note)

    histories()
    assert seen >= {"critical_pass", "budget_infeasible", "compacted", "preview", "archived"}
