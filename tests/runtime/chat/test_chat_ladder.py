"""A chat whose request is too long: it climbs the overflow ladder of a run, and goes on when that is at its end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from dcc.compiler.load import load_program
from dcc.grammar.errors import DccError
from dcc.runtime.chat.chat import WAYS_ON, Chat
from dcc.runtime.chat.opening import compressor_of, open_session, open_store
from dcc.runtime.providers.abort import Abort
from dcc.runtime.providers.choose import Choice
from dcc.runtime.providers.errors import ProviderError
from dcc.runtime.providers.protocol import ModelReply, ModelRequest
from dcc.runtime.session import Reply, Session, ToolCall
from dcc.runtime.values import Format

LONG = "many words " * 500
RULES: Mapping[str, Any] = {
    "extends": ["standard"],
    "name": "long talks",
    "compact": {"fields": ["user", "assistant"], "overload_threshold_bytes": 100_000_000, "compressors": {
        "summary": {"prompt": "Sum up: {content}", "periodic": {"interval_turns": None, "keep_recent_turns": 0}}}},
}  # fmt: skip
TOO_LONG = ProviderError("context_overflow", "prompt is too long")


@dataclass
class Model:
    """A model that gives its replies one by one, and a summary whenever it is asked for one."""

    script: list[str | Reply | DccError]
    summary: str | DccError = "a summary"
    stops: bool = False
    seen: list[str] = field(default_factory=list)
    summaries: int = 0
    name: str = "scripted"
    format: Format = "openai"

    def complete(self, request: ModelRequest, *, abort: Abort | None = None, **how: Any) -> ModelReply:
        is_summary = str(request.messages[0]["content"]).startswith("Sum up")
        self.summaries += is_summary
        if is_summary and self.stops and abort is not None:
            abort.set()
        if not is_summary:
            self.seen.append(str(request.messages))
        said = self.summary if is_summary else self.script.pop(0)
        if isinstance(said, DccError):
            raise said
        return ModelReply(Reply(said) if isinstance(said, str) else said, "stop", None, "small", "")


def chat(model: Model, **sections: Any) -> Chat:
    program = load_program({**RULES, **sections})
    choice = Choice(model, ModelRequest("small", []))
    compressor = compressor_of(choice, program)
    return Chat(Session.create(program, compressor=compressor), choice, compressor)


def codes(notices: tuple[tuple[str, str], ...]) -> list[str]:
    return [code for code, _ in notices]


def test_a_summary_makes_the_request_shorter_and_it_is_told() -> None:
    model = Model([LONG, TOO_LONG, "short now"])
    talk = chat(model)
    talk.say("one")
    outcome = talk.say("two /goal ship it remain 2")
    assert (outcome.turn, outcome.answer, outcome.error) == (2, "short now", None)
    assert codes(outcome.notices) == ["compacted", "recovered"]
    assert dict(outcome.notices)["recovered"] == "the request was too long: compact made it shorter"
    assert LONG.strip() in model.seen[1]
    assert LONG.strip() not in model.seen[2]
    assert model.seen[2].count("'two'") == 1
    assert model.seen[2].count("ship it") == 1
    assert talk.session.stage() == ("1_summary@1", "goal@2", "user@2", "assistant@2")


def test_where_nothing_helps_the_ways_on_are_told_and_the_talk_goes_on() -> None:
    model = Model([TOO_LONG, "fine"])
    talk = chat(model)
    outcome = talk.say("one")
    assert outcome.error is not None
    assert (outcome.error.code, outcome.error.help, outcome.turn) == ("context_overflow", WAYS_ON, None)
    assert outcome.error.message == "Context overflow: prompt too large for the model: prompt is too long"
    assert talk.say("less").answer == "fine"
    assert "one" not in model.seen[1]


def test_the_session_is_unharmed_by_a_summary_that_cannot_be_made() -> None:
    model = Model([LONG, TOO_LONG, "fine"], summary=TOO_LONG)
    talk = chat(model)
    talk.say("one")
    outcome = talk.say("two")
    assert outcome.error is not None
    assert codes(outcome.notices) == ["compaction_failed"]
    assert talk.session.stage() == ("user@1", "assistant@1")
    model.summary = "a summary"
    assert "1_summary@1" in (talk.say("/dc-compact").output or "")
    assert talk.say("two").answer == "fine"


def test_a_later_call_climbs_too_and_what_cannot_be_mended_leaves_the_turn_open() -> None:
    asks = Reply(calls=(ToolCall("c1", "dc_recall", '{"query": "one"}'),))
    model = Model([LONG, asks, TOO_LONG, TOO_LONG, "after all"])
    talk = chat(model)
    talk.say("one")
    outcome = talk.say("two")
    assert (model.summaries, codes(outcome.notices)) == (1, ["compacted", "recovered"])
    assert outcome.error is not None
    assert (outcome.error.code, outcome.is_open, outcome.turn) == ("context_overflow", True, 2)
    assert talk.resume().answer == "after all"


@pytest.mark.parametrize("recovery", [{"overflow": ["give_up"]}, {"overflow": [{"truncate_results": 1}, "give_up"]}])
def test_only_the_rungs_that_the_rules_declare_are_tried(recovery: dict[str, Any]) -> None:
    model = Model([LONG, TOO_LONG])
    talk = chat(model, recovery=recovery)
    talk.say("one")
    outcome = talk.say("two")
    assert outcome.error is not None
    assert (model.summaries, len(model.seen), outcome.notices) == (0, 2, ())


def test_a_stop_during_the_climb_takes_the_turn_back() -> None:
    model = Model([LONG, TOO_LONG], summary=ProviderError("overloaded", "too busy", retryable=True), stops=True)
    talk = chat(model)
    talk.say("one")
    outcome = talk.say("two", abort=Abort())
    assert (outcome.stopped, outcome.turn, outcome.error) == (True, None, None)
    assert talk.session.stage() == ("user@1", "assistant@1")


@pytest.mark.parametrize("answers", [True, False], ids=["a model", "echo"])
def test_what_the_ladder_cuts_can_be_looked_up(answers: bool, tmp_path: Path) -> None:
    program = load_program(RULES)
    compressor = compressor_of(Choice(Model([]), ModelRequest("small", [])), program) if answers else None
    with open_session(open_store(tmp_path / "sessions.db", None), program, compressor) as session:
        assert ("artifact_get" in str(session.tools())) == answers
