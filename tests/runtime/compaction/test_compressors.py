"""Compressors: a model that is asked, and the one that needs none."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dcc.runtime.compaction.asking import MAX_TOKENS, ProviderCompressor
from dcc.runtime.compaction.compressors import CompressionError, ModelCompressor, compress
from dcc.runtime.compaction.extractive import ExtractiveCompressor
from dcc.runtime.kernel.tokens import count_text
from dcc.runtime.providers.errors import ProviderError
from dcc.runtime.providers.protocol import ModelReply, ModelRequest, StopReason, Think
from dcc.runtime.session import Reply

TRANSCRIPT = """\
[第1轮 user] Please move the settings to config/app.toml. Keep the old names, or the tests break.
[第1轮 assistant] Sure. I had a look at it and it is a nice piece of work, as these things go.
[第2轮 user] thanks
[第2轮 assistant] You are welcome. We decided to keep port 8080. Is `--port` still needed?
[第3轮 user] 好的
[第3轮 assistant] 我们决定不用缓存。天气不错。"""


class Fixed:
    def __init__(self, answer: str | Exception) -> None:
        self.answer = answer

    def summarise(self, transcript: str, prompt: str) -> str:
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def test_a_model_is_asked_with_the_transcript_in_the_prompt() -> None:
    asked: list[str] = []
    model = ModelCompressor(lambda prompt: asked.append(prompt) or "the summary")
    assert compress(model, "[第1轮 user] hi", "Sum up: {content}") == "the summary"
    assert asked == ["Sum up: [第1轮 user] hi"]


class Door:
    """A provider that gives one reply; what it ``refuses`` is an error first."""

    name, format = "door", "openai"

    def __init__(self, text: str, stop_reason: StopReason, *refuses: ProviderError) -> None:
        self.reply = ModelReply(Reply(text), stop_reason, None, "m", "1")
        self.refuses = list(refuses)
        self.asked: list[ModelRequest] = []

    def complete(self, request: ModelRequest, **_: Any) -> ModelReply:
        self.asked.append(request)
        if self.refuses:
            raise self.refuses.pop(0)
        return self.reply


def test_a_provider_is_asked_in_one_message() -> None:
    door = Door("the summary", "stop")
    assert compress(ProviderCompressor(door, "small"), "[第1轮 user] hi", "Sum up: {content}") == "the summary"
    (request,) = door.asked
    assert (request.model, request.messages) == (
        "small",
        [{"role": "user", "content": "Sum up: [第1轮 user] hi"}],
    )


def how(door: Door) -> list[tuple[str, int | None, Think | None]]:
    return [(asked.model, asked.max_tokens, asked.think) for asked in door.asked]


def test_a_model_is_asked_to_think_and_for_as_long_a_summary_as_there_is_room_for() -> None:
    door = Door("the summary", "stop")
    compress(ProviderCompressor(door, "small", max_tokens=8_000, think="high"), "text", "{content}")
    assert how(door) == [("small", 8_000, "high")]


def test_one_that_refuses_that_is_asked_plainly_from_then_on() -> None:
    door = Door("the summary", "stop", ProviderError("bad_request", "this model cannot think"))
    compressor = ProviderCompressor(door, "small", max_tokens=8_000, think="high")
    assert compress(compressor, "text", "{content}") == "the summary"
    compress(compressor, "text", "{content}")
    compressor.model = "large"
    compress(compressor, "text", "{content}")
    assert how(door) == [
        ("small", 8_000, "high"), ("small", MAX_TOKENS, None), ("small", MAX_TOKENS, None), ("large", 8_000, "high"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("error", "options", "asked"),
    [
        (ProviderError("bad_request", "no such model"), {"max_tokens": 8_000, "think": "high"}, 2),
        (ProviderError("bad_request", "no such model"), {}, 1),
        (ProviderError("context_overflow", "too long"), {"max_tokens": 8_000, "think": "high"}, 1),
        (ProviderError("overloaded", "busy"), {"max_tokens": 8_000, "think": "high"}, 1),
    ],
)
def test_what_is_refused_for_something_else_is_told(error: ProviderError, options: Any, asked: int) -> None:
    door = Door("the summary", "stop", error, error)
    with pytest.raises(CompressionError, match=error.message):
        compress(ProviderCompressor(door, "small", **options), "text", "{content}")
    assert len(door.asked) == asked


def test_an_answer_that_is_cut_is_no_summary() -> None:
    with pytest.raises(CompressionError) as error:
        compress(ProviderCompressor(Door("the sum", "length"), "small"), "text", "{content}")
    assert error.value.message == "no summary could be made: the model's answer is not whole (length)"


def test_a_summary_that_was_stopped_is_no_failure_of_the_compressor() -> None:
    with pytest.raises(CompressionError) as error:
        compress(ProviderCompressor(Door("the sum", "aborted"), "small"), "text", "{content}")
    assert (error.value.code, error.value.message) == ("stopped", "the summary was stopped")


@pytest.mark.parametrize(
    ("answer", "code", "message"),
    [
        (OSError("no route"), "compressor_failed", "no summary could be made: no route"),
        (KeyError(), "compressor_failed", "no summary could be made: KeyError"),
        (" \n", "blank_summary", "the summary is blank"),
    ],
)
def test_what_fails_has_a_code_and_a_reason(answer: str | Exception, code: str, message: str) -> None:
    with pytest.raises(CompressionError) as error:
        compress(Fixed(answer), "text", "{content}")
    assert (error.value.code, error.value.message) == (code, message)


def test_no_text_is_nothing_to_ask_for() -> None:
    with pytest.raises(CompressionError, match="no text"):
        compress(Fixed("summary"), "", "{content}")


def test_without_a_model_what_was_wanted_and_decided_is_taken_word_for_word() -> None:
    assert ExtractiveCompressor().summarise(TRANSCRIPT, "") == (
        "[第1轮 user] Please move the settings to config/app.toml.\n[第2轮 assistant] We decided to keep port 8080."
    )


def test_a_sentence_that_was_said_twice_is_taken_once() -> None:
    said = "\n".join(f"[第{turn}轮 user] We must ship on 2025-03-01." for turn in range(1, 9))
    assert ExtractiveCompressor().summarise(said, "") == "[第1轮 user] We must ship on 2025-03-01."


def test_a_summary_has_a_budget() -> None:
    said = "\n".join(f"[第{turn}轮 user] We must ship part {turn} on day {turn}." for turn in range(1, 500))
    summary = ExtractiveCompressor(most_tokens=100).summarise(said, "")
    assert 60 < count_text(summary) <= 100
    assert summary.startswith("[第1轮 user] We must ship part 1 ")
    assert summary.endswith("day 499.")


@given(st.lists(st.tuples(st.sampled_from(("user", "assistant")), st.text(max_size=80)), max_size=12))
def test_the_same_transcript_has_the_same_summary_and_a_shorter_one(said: list[tuple[str, str]]) -> None:
    lines = "\n".join(f"[第{turn}轮 {element}] {text}" for turn, (element, text) in enumerate(said, 1))
    summary = ExtractiveCompressor().summarise(lines, "")
    assert summary == ExtractiveCompressor().summarise(lines, "")
    assert not lines or count_text(summary) < count_text(lines)
