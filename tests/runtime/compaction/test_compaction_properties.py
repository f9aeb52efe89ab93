"""Random histories with recall and compaction on: what kernel.md section 6 promises still holds."""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from legality import check_anthropic, check_openai

from dcc.compiler.load import load_program
from dcc.compiler.program import Program
from dcc.runtime.folding import fold
from dcc.runtime.kernel.hashing import sum_of_rows
from dcc.runtime.session import Reply, Request, Session, SessionError, ToolCall, Visible
from dcc.runtime.store.interface import Store
from dcc.runtime.store.memory import MemoryStore
from dcc.runtime.store.sqlite import SqliteStore

#: A turn (text, number of tool calls, whether its first call fails), an act by name, or a restart.
Step = tuple[Any, ...]

RULES = {
    "life_cycle": {
        "user": ["born", None], "assistant": ["born", None], "think": ["born", None],
        "toolResult": ["born", "born+2"], "recall": ["born", "born+1"],
    },
    "context": {"patch_end": {"enabled": True, "template": "END {content}"}},
    "recall": {"type": "grep", "search_fields": ["user", "assistant"], "top_k": 2},
}  # fmt: skip
RETENTIONS = ("latest_only", "keep_all", {"type": "last_k", "k": 2}, {"type": "equidistant", "k": 2})
#: Summaries: short ones, some that are no gain, some that fail.
SUMMARIES = ("short", "short", "of some length, as summaries are", "far too long for anything " * 20, "", None)


@st.composite
def programs(draw: st.DrawFn) -> Program:
    periodic = {"interval_turns": draw(st.integers(1, 4)), "keep_recent_turns": draw(st.integers(0, 2))}
    summary = {"prompt": "{content}", "periodic": periodic, "retention": draw(st.sampled_from(RETENTIONS))}
    compact = {
        "fields": draw(st.sampled_from((["user", "assistant"], ["user"], ["assistant", "toolResult"]))),
        "overload_threshold_bytes": draw(st.sampled_from((400, 100_000))),
        "compressors": {"summary": summary},
    }
    return load_program({**RULES, "compact": compact})


class Chance:
    """A compressor whose summaries depend on what it is given, and on nothing else."""

    def summarise(self, transcript: str, prompt: str) -> str:
        summary = random.Random(transcript).choice(SUMMARIES)
        if summary is None:
            raise OSError("no route")
        return summary


class Talk:
    """Drives a session, and holds every completed request against what it says of its past."""

    def __init__(self, program: Program, store: Store, reopened: Callable[[Store], Store]) -> None:
        self.program, self.store, self.reopened = program, store, reopened
        self.session = Session.create(program, store=store, system="You are brief.", compressor=Chance())
        self.held: list[tuple[Visible, ...]] = []

    def turn(self, text: str, tools: int, fails: bool) -> None:
        self.session.begin(text)
        self.ask()
        if fails:
            return self.session.fail("provider")
        calls = tuple(ToolCall(f"c{n}", "dc_recall" if n else "read", {"query": text}) for n in range(tools))
        if calls:
            self.answer(Reply("", thinking="hm", calls=calls))
            for call in calls:
                if self.session.serve(call.id) is None:
                    self.session.add_result(call.id, "what the file says " * 3)
            self.ask()
        self.answer(Reply("an answer to: " + text, thinking="so"))
        return self.session.commit()

    def ask(self) -> None:
        self.request = self.session.request("openai")
        legal(self.request)
        assert check_anthropic(*both(self.session.request("anthropic"))) == []

    def answer(self, reply: Reply) -> None:
        self.held.append(self.request.visible)
        self.session.add_reply(reply)

    def act(self, name: str, number: int) -> None:
        ids = list(self.session.ranges())
        slot = ids[-1 - number % len(ids)]
        with suppress(SessionError):
            match name:
                case "compact":
                    self.session.compact()
                case "undo":
                    self.session.undo(1 + number % 2)
                case "keep":
                    self.session.keep(slot)
                case "unkeep":
                    self.session.unkeep("all")
                case "close":
                    self.session.close(slot)
                case "pin":
                    self.session.pin("remember this")
                case "host":
                    self.session.on_host_compaction("threshold")

    def restart(self) -> None:
        before = (self.session.state_hash(), self.session.stage(), self.session.ranges())
        self.store = self.reopened(self.store)
        self.session = Session.open(self.store, self.program, compressor=Chance())
        assert (self.session.state_hash(), self.session.stage(), self.session.ranges()) == before

    def check_past(self) -> None:
        for ordinal, visible in enumerate(self.held, 1):
            assert self.session.projection(ordinal) == visible
        ledger, hash = fold(self.store)[:2]
        assert hash.total == sum_of_rows(ledger)


def legal(request: Request) -> None:
    """P1 and P2."""
    assert check_openai(request.messages) == []
    shown = {slot.slot: slot for slot in request.visible}
    for slot in ("system@0", f"user@{request.turn}"):
        assert (shown[slot].how, shown[slot].on_stage) == ("full", True)


def both(request: Request) -> tuple[list[dict[str, object]], list[dict[str, object]]]:
    return request.system, request.messages


TEXTS = st.sampled_from(("tea", "the tea is green", "看绿茶", "/goal tea remain 2\nand now", "coffee " * 30))
TURNS = st.tuples(st.just("turn"), TEXTS, st.sampled_from((0, 0, 1, 2)), st.sampled_from((False, False, False, True)))
ACTS = st.tuples(st.sampled_from(("compact", "undo", "keep", "unkeep", "close", "pin", "host")), st.integers(0, 9))
STEPS = st.lists(st.one_of(TURNS, TURNS, TURNS, ACTS, st.tuples(st.just("restart"))), min_size=4, max_size=16)


def run(program: Program, steps: list[Step], store: Store, reopened: Callable[[Store], Store]) -> None:
    talk = Talk(program, store, reopened)
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


@given(programs(), STEPS)
@settings(max_examples=80, deadline=None)
def test_random_histories(program: Program, steps: list[Step]) -> None:
    run(program, steps, MemoryStore(), lambda store: store)


@given(programs(), STEPS)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_random_histories_in_a_file(tmp_path: Path, program: Program, steps: list[Step]) -> None:
    path = tmp_path / f"{uuid4()}.db"

    def reopened(store: Store) -> Store:
        store.close()
        return SqliteStore(path, "random", every=7)

    run(program, steps, SqliteStore(path, "random", every=7), reopened)


@pytest.mark.slow
@given(programs(), STEPS)
@settings(max_examples=600, deadline=None)
def test_many_random_histories(program: Program, steps: list[Step]) -> None:
    run(program, steps, MemoryStore(), lambda store: store)
