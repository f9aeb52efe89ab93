"""How a model is asked to think, and for how long an answer: by its name, then by what its server says."""

from __future__ import annotations

import json
from typing import Any

import pytest
from loopback import anthropic_wire
from loopback.behaviour import Behaviour, Refuses, Says, Streams
from loopback.client import asks, provider
from loopback.server import Loopback

from dcc.runtime.providers.anthropic import Anthropic
from dcc.runtime.providers.errors import ProviderError
from dcc.runtime.providers.generations import counts_completions, thinks_adaptively, thinks_unasked

ADAPTIVE, BUDGET = {"type": "adaptive"}, {"type": "enabled", "budget_tokens": 2048}


@pytest.mark.parametrize(
    ("model", "adaptively", "unasked"),
    [
        ("claude-opus-4-6", True, False), ("claude-opus-4-7", True, False), ("claude-sonnet-4-6", True, False),
        ("anthropic/claude-opus-4.8", True, False), ("us.anthropic.claude-opus-4-6-v1:0", True, False),
        ("claude-opus-5", True, True), ("claude-opus-5-5-20260922", True, True), ("claude-sonnet-5", True, True),
        ("claude-haiku-5-5", True, True), ("claude-fable-5-1", True, True), ("claude-mythos-preview", True, True),
        ("claude-opus-4-5-20251101", False, False), ("claude-haiku-4.5", False, False), ("small", False, False),
        ("claude-sonnet-4-20250514", False, False), ("claude-opus-4-1", False, False), ("MiniMax-M2", False, False),
        ("claude-3-7-sonnet-20250219", False, False), ("claude-3-opus-latest", False, False),
    ],
)  # fmt: skip
def test_which_models_decide_themselves_how_long_they_think(model: str, adaptively: bool, unasked: bool) -> None:
    assert (thinks_adaptively(model), thinks_unasked(model)) == (adaptively, unasked)


@pytest.mark.parametrize(
    ("model", "new"),
    [
        ("o1", True), ("o3-mini-2025-01-31", True), ("gpt-5", True), ("openai/gpt-5.2", True), ("gpt-6-sol", True),
        ("GPT-5-mini", True), ("gpt-4o", False), ("gpt-4.1", False), ("gpt-oss-120b", False), ("qwen-o1", False),
    ],
)  # fmt: skip
def test_which_models_count_their_thinking_in_a_completion(model: str, new: bool) -> None:
    assert counts_completions(model) == new


def test_a_model_that_decides_itself_is_told_how_hard_to_think() -> None:
    efforts = {"minimal": "low", "low": "low", "medium": "medium", "high": "high", "xhigh": "xhigh"}
    with Loopback(*[Says(("ok",))] * len(efforts)) as server:
        for level in efforts:
            provider("anthropic", server.url).complete(asks(model="claude-opus-4-7", think=level, max_tokens=100))
    for seen, (level, effort) in zip(server.seen, efforts.items(), strict=True):
        assert seen.body["thinking"] == ADAPTIVE, level
        assert seen.body["output_config"] == {"effort": effort}
        assert seen.body["max_tokens"] > 100


def test_what_a_model_thinks_unasked_leaves_room_for_its_answer() -> None:
    with Loopback(*[Says(("ok",))] * 3) as server:
        for model in ("claude-opus-5-5", "claude-opus-4-8", "small"):
            provider("anthropic", server.url).complete(asks(model=model, max_tokens=100))
    assert [seen.body["max_tokens"] > 100 for seen in server.seen] == [True, False, False]
    assert not any("thinking" in seen.body for seen in server.seen)


def refuses(says: str) -> Refuses:
    return Refuses(400, json.dumps({"error": {"type": "invalid_request_error", "message": says}}))


@pytest.mark.parametrize(
    ("protocol", "fields", "says", "sent"),
    [
        (
            "anthropic", {"model": "large", "think": "low"},
            '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and '
            '"output_config.effort" to control thinking behavior.',
            [{"thinking": BUDGET}, {"thinking": ADAPTIVE, "output_config": {"effort": "low"}}],
        ),
        (
            "anthropic", {"model": "claude-opus-5", "think": "low"},
            "thinking: Input tag 'adaptive' found using 'type' does not match any of the expected tags: 'enabled'",
            [{"thinking": ADAPTIVE}, {"thinking": BUDGET}],
        ),
        (
            "anthropic", {"model": "claude-opus-5", "think": "low"}, "output_config: Extra inputs are not permitted",
            [{"thinking": ADAPTIVE}, {"thinking": BUDGET}],
        ),
        (
            "openai", {"model": "my-deployment", "max_tokens": 7},
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens'.",
            [{"max_tokens": 7}, {"max_completion_tokens": 7}],
        ),
        (
            "openai", {"model": "gpt-5", "max_tokens": 7}, "Unrecognized request argument: max_completion_tokens",
            [{"max_completion_tokens": 7}, {"max_tokens": 7}],
        ),
    ],
)  # fmt: skip
def test_a_server_that_says_how_it_wants_to_be_asked_is_asked_so_from_then_on(
    protocol: str, fields: dict[str, Any], says: str, sent: list[dict[str, Any]]
) -> None:
    first, other = sent

    def decide(body: Any) -> Behaviour:
        return Says(("ok",)) if all(body.get(name) == value for name, value in other.items()) else refuses(says)

    with Loopback(decide=decide) as server:
        speaks = provider(protocol, server.url)
        assert speaks.complete(asks(**fields)).attempts == 2
        assert speaks.complete(asks(**fields)).attempts == 1
    names = {*first, *other}
    bodies = [{name: value for name, value in seen.body.items() if name in names} for seen in server.seen]
    assert first.items() <= bodies[0].items()
    assert bodies[1:] == [other, other]


def test_a_server_that_wants_it_neither_way_is_asked_twice_and_no_more() -> None:
    def decide(body: Any) -> Behaviour:
        is_adaptive = body["thinking"]["type"] == "adaptive"
        return refuses("adaptive thinking is not supported" if is_adaptive else "use adaptive thinking")

    with Loopback(decide=decide) as server, pytest.raises(ProviderError) as caught:
        provider("anthropic", server.url).complete(asks(think="low"))
    assert (len(server.seen), caught.value.attempts) == (2, 2)


@pytest.mark.parametrize(
    ("says", "budget"),
    [
        ('"thinking.type.adaptive" is not supported for this model. Use "thinking.type.enabled".', True),
        ("adaptive thinking is not supported on this model", True),
        ("this model does not support adaptive thinking", True),
        ("This model does not support the effort parameter.", True),
        ("thinking.adaptive.display: Extra inputs are not permitted", True),
        ("output_config.effort: Extra inputs are not permitted", True),
        ("adaptive thinking with effort 'xhigh' is not supported by this model", False),
        ("output_config.effort: Input should be 'low', 'medium' or 'high'", False),
        ("effort level 'xhigh' is not supported by this model", False),
        ("messages.1.content.0: Invalid `signature` in `thinking` block", False),
    ],
)
def test_what_is_said_of_a_level_is_not_said_of_the_way(says: str, budget: bool) -> None:
    refusal = ProviderError("bad_request", f"anthropic answered 400 (bad_request): {says}")
    assert (Anthropic().after(refusal, asks(model="claude-opus-5", think="xhigh")) is not None) == budget


def test_what_was_begun_to_be_said_is_not_said_again() -> None:
    wire = anthropic_wire.events(Says(("half an answer",)))[:4]
    error = {"type": "error", "error": {"type": "invalid_request_error", "message": "use adaptive thinking"}}
    broken = b"".join((*wire, b"event: error\ndata: ", json.dumps(error).encode(), b"\n\n"))
    heard: list[str] = []
    with Loopback(Streams(broken), Says(("all of it",))) as server, pytest.raises(ProviderError):
        provider("anthropic", server.url).complete(asks(think="low"), on_text=heard.append)
    assert (heard, len(server.seen)) == (["half an answer"], 1)


def test_no_more_requests_are_sent_than_may_be() -> None:
    with Loopback(decide=lambda body: refuses("use adaptive thinking")) as server, pytest.raises(ProviderError):
        provider("anthropic", server.url).complete(asks(think="low", attempts=1))
    assert len(server.seen) == 1


@pytest.mark.parametrize(
    ("says", "mend"),
    [
        ("This model is only supported in v1/responses and not in v1/chat/completions.", "dcc speaks chat completions"),
        ("This is not a chat model and thus not supported in v1/chat/completions.", "choose one that does"),
        ("Function tools with reasoning_effort are not supported for gpt-5.4", "write provider.think: none"),
        ("no such model", "check provider.model"),
    ],
)
def test_what_chat_completions_cannot_have_is_told_with_its_mend(says: str, mend: str) -> None:
    with Loopback(refuses(says)) as server, pytest.raises(ProviderError) as caught:
        provider("openai", server.url).complete(asks())
    assert says in caught.value.message
    assert caught.value.help is not None
    assert mend in caught.value.help
