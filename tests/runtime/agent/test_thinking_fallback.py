"""A model that refuses the thinking level asked for is asked for another one (runtime spec, section 6.3)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from agents import PROTOCOLS, calls, rules, run
from loopback.behaviour import Behaviour, Refuses, Says
from loopback.server import Loopback

from dcc.runtime.agent.thinking import instead
from dcc.runtime.providers.errors import ProviderError

CASES = yaml.safe_load((Path(__file__).parents[2] / "conformance" / "thinking_fallback.yaml").read_text("utf-8"))

#: The budgets that stand for the levels in Anthropic's protocol, in tokens.
BUDGETS = {1024: "minimal", 2048: "low", 8192: "medium", 16_384: "high", 23_552: "xhigh"}

#: Instead of a level, where a request asks for none.
UNSAID = ""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def refuses(says: str, status: int = 400) -> Refuses:
    return Refuses(status, json.dumps({"error": {"type": "invalid_request_error", "message": says}}))


def level_of(body: Any) -> str:
    """The thinking level that a request of either protocol asks for."""
    thinking = body.get("thinking")
    if thinking is None:
        return str(body.get("reasoning_effort", UNSAID))
    if thinking["type"] == "disabled":
        return "none"
    if thinking["type"] == "adaptive":
        return str(body["output_config"]["effort"])
    return BUDGETS[thinking["budget_tokens"]]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['asked']}: {case['says'][:40]}")
def test_what_is_asked_for_instead(case: dict[str, Any]) -> None:
    assert list(instead(case["asked"], ProviderError("bad_request", case["says"]))) == case["dcc"]
    openclaw = {"off": "none"}.get(case["openclaw"], case["openclaw"])
    assert case.get("why") or next(iter(case["dcc"]), None) == openclaw


def test_an_error_of_another_kind_says_nothing_of_a_level() -> None:
    assert instead("high", ProviderError("rate_limit", "the thinking level high is not supported")) == ()


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_level_that_is_refused_is_lowered_for_the_rest_of_the_run(protocol: str, folder: Path) -> None:
    no = refuses("Unsupported value 'high' for thinking. Supported values are: 'low', 'medium'.")
    with Loopback(no, calls("c1", "read", path="a.txt"), Says(("done",)), Says(("again",))) as server:
        result = run(rules(server, protocol), "go", folder, think="high")
        run(rules(server, protocol), "and again", folder, think="high")
    assert result.answer == "done"
    assert [level_of(seen.body) for seen in server.seen] == ["high", "medium", "medium", "high"]
    told = dict(result.notices)["thinking_changed"]
    assert told == "small does not take the thinking level high: medium is asked for"
    assert server.seen[0].body["messages"] == server.seen[1].body["messages"]


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_levels_are_tried_downwards_and_at_last_none_is_sent(protocol: str, folder: Path) -> None:
    def decide(body: Any) -> Behaviour:
        level = level_of(body)
        return Says(("at last",)) if level == UNSAID else refuses(f"the thinking level {level} is not supported")

    with Loopback(decide=decide) as server:
        result = run(rules(server, protocol), "go", folder, think="xhigh")
    assert result.answer == "at last"
    asked = [level_of(seen.body) for seen in server.seen]
    assert asked == ["xhigh", "high", "medium", "low", "minimal", "none", UNSAID]
    assert [code for code, _ in result.notices].count("thinking_changed") == 6


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_refusal_in_a_tool_loop_goes_on_with_the_same_turn(protocol: str, folder: Path) -> None:
    no = refuses("Expected `thinking`, but found `text`. When `thinking` is enabled, it must come first")
    with Loopback(calls("c1", "write", path="a.txt", content="x"), no, Says(("done",))) as server:
        result = run(rules(server, protocol), "go", folder, think="low")
    assert result.answer == "done"
    assert [level_of(seen.body) for seen in server.seen] == ["low", "low", UNSAID]
    assert server.seen[1].body["messages"] == server.seen[2].body["messages"]


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_model_that_refuses_whatever_is_asked_is_an_error_in_the_end(protocol: str, folder: Path) -> None:
    with Loopback(decide=lambda body: refuses("invalid value for reasoning")) as server:
        result = run(rules(server, protocol), "go", folder, think="medium")
    assert result.meta.error is not None
    assert result.meta.error.kind == "bad_request"
    assert [level_of(seen.body) for seen in server.seen] == ["medium", "low", "minimal", "none", UNSAID]


@pytest.mark.parametrize(("think", "says"), [(None, "invalid value for reasoning"), ("high", "no such model")])
def test_what_no_level_mends_is_asked_once(think: str | None, says: str, folder: Path) -> None:
    with Loopback(decide=lambda body: refuses(says)) as server:
        result = run(rules(server), "go", folder, think=think)
    assert result.meta.error is not None
    assert len(server.seen) == 1


def test_a_model_that_takes_tools_only_without_thinking_is_asked_so(folder: Path) -> None:
    """gpt-5.6 thinks unasked, and chat completions take no tools then (openai-openapi issue 541)."""
    no = refuses(
        "Function tools with reasoning_effort are not supported for gpt-5.6 in /v1/chat/completions. To use function "
        "tools, use /v1/responses or set reasoning_effort to 'none'."
    )
    for think, told in ((None, "its own thinking level here"), ("high", "the thinking level high")):
        with Loopback(no, Says(("ok",))) as server:
            result = run(rules(server), "go", folder, think=think)
        assert (result.answer, level_of(server.seen[1].body)) == ("ok", "none")
        assert dict(result.notices)["thinking_changed"] == f"small does not take {told}: none is asked for"


def test_a_model_that_cannot_but_think_thinks_as_little_as_it_can(folder: Path) -> None:
    """claude-opus-5-5 refuses ``disabled``, and takes no budget."""
    no = refuses(
        '"thinking.type.disabled" is not supported for this model. Use "thinking.type.adaptive" and '
        '"output_config.effort" to control thinking behavior.'
    )
    with Loopback(no, Says(("ok",))) as server:
        result = run(rules(server, "anthropic", provider={"model": "claude-opus-5-5"}), "go", folder, think="off")
    assert result.answer == "ok"
    assert [seen.body["thinking"]["type"] for seen in server.seen] == ["disabled", "adaptive"]
    assert server.seen[1].body["output_config"] == {"effort": "low"}


def test_another_model_is_asked_for_the_level_that_was_wanted(folder: Path) -> None:
    """In this order: the level is lowered, and what the model refuses then goes to the next model."""
    script = [refuses("high is not supported for reasoning"), refuses("no such tool format"), Says(("ok",))]
    with Loopback(*script) as server:
        result = run(rules(server, provider={"fallbacks": ["large"]}), "go", folder, think="high")
    assert result.answer == "ok"
    assert [(seen.body["model"], level_of(seen.body)) for seen in server.seen] == [
        ("small", "high"), ("small", "medium"), ("large", "high"),
    ]  # fmt: skip
    assert [code for code, _ in result.notices] == ["thinking_changed", "model_changed"]
