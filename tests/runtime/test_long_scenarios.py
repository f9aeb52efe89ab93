"""Long scenarios: what nobody asks for is neither kept nor asked of the session."""

from __future__ import annotations

from typing import Any

import pytest

from dcc.compiler.load import load_program
from dcc.runtime.scenario.compare import compare
from dcc.runtime.scenario.load import read_scenario_file
from dcc.runtime.scenario.report import COLUMNS, table
from dcc.runtime.scenario.run import play
from dcc.runtime.session import Session

TURNS = 30
TEXT = "ruleset: {}\nsteps:\n" + "".join(
    f"  - {{user: 'hello {n}', reply: ok"
    + (f", expect: {{stage: [user@{n}, assistant@{n}]}}" if n == 20 else "")
    + "}\n"
    for n in range(1, TURNS + 1)
)
PROGRAM = load_program({"life_cycle": {"user": ["born", "born"], "assistant": ["born", "born"]}})


def played(**how: Any) -> tuple[Any, Any]:
    scenario = read_scenario_file("s.yaml", TEXT.encode()).scenario
    assert scenario is not None
    return scenario, play(scenario, PROGRAM, **how)


def test_only_what_expects_something_keeps_its_request() -> None:
    scenario, done = played(whole=0)
    kept = [step.turn for step in done.steps for call in step.calls if call.is_whole]
    assert kept == [20]
    assert all(call.request.slots for step in done.steps for call in step.calls)
    assert compare(scenario, done) == compare(scenario, played()[1]) == ()


def test_the_stage_is_asked_for_where_it_is_expected(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    stage = Session.stage
    monkeypatch.setattr(Session, "stage", lambda self: asked.append(self.turn) or stage(self))
    played(whole=0)
    assert asked == [20]


def test_the_table_shows_the_last_turns() -> None:
    _, done = played(whole=5)
    head = table(done)[0].split()
    assert [word for word in head if word.isdigit()] == ["20", "26", "27", "28", "29", "30"]
    assert COLUMNS > 20
