"""Summaries of a chat: asked of its model part by part where the turns are longer than one request may be."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

from dcc.compiler.load import load_program
from dcc.runtime.agent.compaction.staged import MERGE
from dcc.runtime.chat.chat import Chat
from dcc.runtime.chat.opening import compressor_of
from dcc.runtime.kernel.tokens import count_tokens
from dcc.runtime.providers.abort import Abort
from dcc.runtime.providers.choose import Choice, choose
from dcc.runtime.providers.errors import ProviderError
from dcc.runtime.providers.protocol import ModelReply, ModelRequest
from dcc.runtime.session import Reply, Session
from dcc.runtime.values import Format, GovernanceFlags

#: A turn of about 2,500 tokens.
LONG = "many words " * 830
PROGRAM = load_program({
    "name": "x",
    "life_cycle": {"user": ["born", None], "assistant": ["born", None]},
    "compact": {
        "fields": ["user", "assistant"], "overload_threshold_bytes": 10_000_000,
        "compressors": {"summary": {"prompt": "Sum up: {content}", "periodic": {"keep_recent_turns": 0}}},
    },
})  # fmt: skip


@dataclass
class Model:
    """A model that answers briefly, and sums up what it is asked to; ``abort`` is turned at its first summary."""

    abort: Abort | None = None
    summaries: list[ModelRequest] = field(default_factory=list)
    name: str = "model"
    format: Format = "openai"

    def complete(self, request: ModelRequest, *, abort: Abort | None = None, **how: Any) -> ModelReply:
        if not str(request.messages[0]["content"]).startswith("Sum up"):
            return ModelReply(Reply("ok"), "stop", None, "small", "")
        self.summaries.append(request)
        if self.abort is not None:
            assert abort is self.abort
            abort.set()
            raise ProviderError("overloaded", "too busy", retryable=True)
        return ModelReply(Reply(f"summary {len(self.summaries)}"), "stop", None, "small", "")


def chat(model: Model, flags: GovernanceFlags | None = None) -> Chat:
    choice = Choice(model, ModelRequest("small", []))
    compressor = compressor_of(choice, PROGRAM, flags)
    assert compressor is not None
    talk = Chat(Session.create(PROGRAM, compressor=compressor), choice, compressor)
    for _ in range(5):
        talk.say(LONG)
    return talk


@pytest.mark.parametrize("flags", [GovernanceFlags(window=16_000), GovernanceFlags(max_context=16_000)])
def test_turns_longer_than_one_request_are_summarised_in_parts_that_are_merged(flags: GovernanceFlags) -> None:
    talk = chat(model := Model(), flags)
    outcome = talk.say("/dc-compact")
    asked = [str(request.messages[0]["content"]) for request in model.summaries]
    assert len(asked) > 2
    assert all(count_tokens(text) < 16_000 * 0.4 for text in asked)
    assert all(sum(f"[第{n}轮 user]" in text for text in asked) == 1 for n in range(1, 6))
    assert MERGE in asked[-1]
    assert "5_summary@5" in (outcome.output or "")


def test_turns_that_one_request_holds_are_one() -> None:
    talk = chat(model := Model())
    talk.say("/dc-compact")
    (request,) = model.summaries
    assert (request.think, request.max_tokens) == ("high", 8_192)


def test_an_abort_stops_the_summary_and_its_further_parts() -> None:
    abort = Abort()
    talk = chat(model := Model(abort), GovernanceFlags(window=16_000))
    outcome = talk.say("/dc-compact", abort=abort)
    assert len(model.summaries) == 1
    assert "stay as they are: the summary was stopped" in (outcome.output or "")
    assert [code for code, _ in outcome.notices] == ["compaction_stopped"]
    assert len(talk.session.stage()) == 10


def test_where_no_model_answers_none_is_asked_for_summaries() -> None:
    assert compressor_of(choose(None, environ={}), PROGRAM) is None
