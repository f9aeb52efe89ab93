"""Before old turns give way to a summary the model is told once to write down what is to last.

openclaw runs a turn of its own for that, 4,000 tokens before it compacts (runtime spec, section 5); where the two
differ is in conformance/agent_context.yaml.
"""

from __future__ import annotations

from typing import Any

import pytest
from canon_project import Project

from dcc.compiler.load import load_program
from dcc.runtime.compaction.compressors import ModelCompressor
from dcc.runtime.memory.surfacing.wording import FAREWELL
from dcc.runtime.session import Reply, Session, ToolCall
from dcc.runtime.store.memory import MemoryStore
from dcc.runtime.values import GovernanceFlags

LONG = "a long answer, of which a summary is a good deal shorter. " * 40


@pytest.fixture
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    made = Project(tmp_path_factory.mktemp("p") / "proj")
    made.write("src/core/config", capsule="Env wins.", body="# Config")
    return made


def rules(interval: int | None = None, threshold: int = 10_000_000, **sections: Any) -> dict[str, Any]:
    summary = {"prompt": "{content}", "periodic": {"interval_turns": interval, "keep_recent_turns": 1}}
    return {
        "name": "x", "life_cycle": {element: ["born", None] for element in ("user", "assistant", "toolResult")},
        "canon": {}, "compact": {
            "fields": ["user", "assistant"], "overload_threshold_bytes": threshold, "compressors": {"summary": summary},
        }, **sections,
    }  # fmt: skip


class Talk:
    """A session with canon; ``warned``: the turns that were told of a compaction."""

    def __init__(self, project: Project, ruleset: dict[str, Any], flags: GovernanceFlags | None = None) -> None:
        self.program, self.flags, self.store = load_program(ruleset), flags, MemoryStore()
        self.folder = str(project.folder)
        self.session = Session.create(
            self.program, store=self.store, folder=self.folder, flags=flags, compressor=ModelCompressor(_sum_up)
        )
        self.warned: list[int] = []

    def reopen(self) -> None:
        self.session = Session.open(
            self.store, self.program, flags=self.flags, compressor=ModelCompressor(_sum_up)
        )

    def begin(self) -> None:
        self.session.begin("go on")
        shown = self.session.request().messages
        if any(FAREWELL in str(message["content"]) for message in shown):
            self.warned.append(self.session.turn)

    def turn(self, turns: int = 1) -> None:
        for _ in range(turns):
            self.begin()
            self.answer()

    def answer(self) -> None:
        self.session.add_reply(Reply(LONG))
        self.session.commit()

    @property
    def size(self) -> int:
        return self.session._requests.bytes_without(())

    @property
    def made(self) -> int:
        return sum(name.endswith("_summary") for name in self.session._recorder.ledger.by_element)

    @property
    def summaries(self) -> list[str]:
        return [slot for slot in self.session.stage() if "summary" in slot]


def _sum_up(prompt: str) -> str:
    return "a summary"


def test_the_turn_before_each_compaction_by_turns_is_told_once(project: Project) -> None:
    """Issues 47143 (the first one was never told of) and 12590 (nor every second one)."""
    talk = Talk(project, rules(interval=4))
    talk.turn(12)
    assert talk.warned == [4, 7, 10]
    assert talk.summaries == ["9_summary@9"]


def test_before_one_by_size_it_is_told_at_four_fifths(project: Project) -> None:
    """Issue 66058: telling leads to no compaction, and that to no telling, without end."""
    talk = Talk(project, rules(threshold=20_000))
    talk.begin()
    while not talk.warned:
        assert talk.size <= 16_000
        talk.answer()
        talk.begin()
    assert 16_000 < talk.size <= 20_000
    talk.answer()
    while not talk.summaries:
        talk.turn()
    assert len(talk.warned) == 1, "once a compaction, however many turns it takes to come"
    talk.turn(30)
    assert len(talk.warned) in (talk.made, talk.made + 1)


def test_before_one_by_tokens_it_is_told_when_the_model_must_act(project: Project) -> None:
    talk = Talk(project, rules(governance={"window": 20_000, "bands": {"soft": 0.4, "must_act": 0.5}}))
    while not talk.warned and talk.session.turn < 40:
        talk.turn()
    limits = talk.session._planner.limits
    assert limits is not None
    assert limits.must_act <= talk.session._planner.used() < limits.critical
    assert talk.summaries == []
    while not talk.summaries:
        talk.turn()
    assert len(talk.warned) == 1


def test_it_is_known_after_a_restart(project: Project) -> None:
    talk = Talk(project, rules(threshold=20_000))
    while not talk.warned:
        talk.turn()
    talk.reopen()
    talk.begin()
    assert talk.size > 16_000
    assert len(talk.warned) == 1


def test_a_turn_that_is_taken_back_takes_it_along(project: Project) -> None:
    talk = Talk(project, rules(interval=4))
    talk.turn(3)
    talk.begin()
    talk.session.fail("provider")
    talk.begin()
    assert talk.warned == [4, 4]


def test_it_stands_for_its_turn_alone_and_beside_what_else_is_owed(project: Project) -> None:
    talk = Talk(project, rules(interval=3))
    talk.turn()
    talk.begin()
    talk.session.add_reply(Reply(calls=(ToolCall("c1", "edit", {"path": "src/core/config.ts"}),)))
    talk.session.add_result("c1", "ok")
    talk.session.request()
    talk.answer()
    talk.begin()
    owed, farewell = (talk.session.last_text("canon") or "").splitlines()
    assert owed.startswith("Touched but not updated: src/core/config")
    assert farewell == FAREWELL
    talk.answer()
    talk.begin()
    assert talk.warned == [3]


@pytest.mark.parametrize("way", ["read only", "surface off", "nothing to summarise", "no compaction"])
def test_nobody_is_told_who_cannot_write_or_has_nothing_to_lose(way: str, project: Project) -> None:
    ruleset = rules(interval=4)
    flags = GovernanceFlags(canon_read_only=way == "read only")
    if way == "surface off":
        ruleset["canon"] = {"surface": False}
    if way == "nothing to summarise":
        ruleset["compact"]["fields"] = ["goal"]
    if way == "no compaction":
        del ruleset["compact"]
    talk = Talk(project, ruleset, flags)
    talk.turn(9)
    assert talk.warned == []


def test_an_undone_compaction_is_told_of_again(project: Project) -> None:
    talk = Talk(project, rules(interval=4))
    talk.turn(4)
    talk.session.undo()
    talk.turn()
    assert talk.warned == [4, 5]
