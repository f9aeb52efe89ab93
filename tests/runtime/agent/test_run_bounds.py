"""What a prompt may cost at most, counted at the server: model calls, summaries, tries (runtime spec, section 3)."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml
from agents import PROTOCOLS, giving, looks_up, rules, run, usage
from huge_results import length, lines
from legality import check_anthropic, check_openai
from loopback.behaviour import Behaviour, Breaks, Refuses, Says
from loopback.server import Loopback

from dcc.runtime.agent.ladder import retry_limit
from dcc.runtime.agent.result import RunResult
from dcc.runtime.kernel.content import Content
from dcc.runtime.providers.abort import Abort

PROMPT = "Sum it up:"
COMPACT = {
    "fields": ["user", "assistant"], "overload_threshold_bytes": 100_000_000,
    "compressors": {"summary": {"prompt": f"{PROMPT} {{content}}", "periodic": {
        "interval_turns": None, "keep_recent_turns": 0}}},
}  # fmt: skip
TOO_LONG = Refuses(400, '{"error": {"message": "prompt is too long"}}')

#: Two turns of talk, of which a summary is shorter.
TALK = ("many words about one thing " * 60, "and as many about another " * 60)


def legal(body: Any) -> list[str]:
    """What a provider would find wrong with a request: a call without its result, say (#4739)."""
    if "max_tokens" in body:
        return check_anthropic(body.get("system", []), body["messages"])
    return check_openai(body["messages"])


@dataclass
class Refusing:
    """A server that answers talk and summaries, gives one reply with ``tools``, and refuses all that comes then."""

    tools: Says | None
    summary: Behaviour = field(default_factory=lambda: Says(("a summary",)))
    calls: list[int] = field(default_factory=list)
    summaries: int = 0
    models: list[str] = field(default_factory=list)
    refuses: bool = False

    def __call__(self, body: Any) -> Behaviour:
        if PROMPT in json.dumps(body):
            self.summaries += 1
            self.models.append(body["model"])
            return self.summary
        assert legal(body) == []
        if self.refuses:
            self.calls.append(length(body))
            return TOO_LONG
        if "go" not in json.dumps(body["messages"][-1]):
            return Says(("as many words in reply " * 60,))
        self.refuses = True
        if self.tools is not None:
            return self.tools
        self.calls.append(length(body))
        return TOO_LONG


CASES = yaml.safe_load((Path(__file__).parents[2] / "conformance" / "overflow_ladder.yaml").read_text("utf-8"))
ENDS: dict[str, dict[str, Any]] = {end["kind"]["dcc"]: end for end in CASES["ends"]}


def ended(result: RunResult, kind: str) -> None:
    """A run has ended in this way, is told so to a person and to a program, and tells what it has cost."""
    assert result.meta.error is not None
    assert result.meta.error.kind == kind
    assert result.payloads[-1].is_error
    assert result.payloads[-1].text.startswith(ENDS[kind]["text"]["dcc"])
    document = result.to_json()
    assert document["payloads"][-1] == {"text": result.payloads[-1].text, "isError": True}
    assert document["meta"]["error"] == {"kind": kind, "message": result.meta.error.message}
    assert document["meta"]["agentMeta"]["sessionId"] == "s"
    assert document["meta"]["systemPromptReport"]["total"] > 0
    assert result.usage is not None


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def refused(
    folder: Path, protocol: str, results: tuple[Content, ...], talk: tuple[str, ...] = TALK, **more: Any
) -> tuple[Refusing, RunResult]:
    """A run whose prompt is refused for its length for ever, after some talk and a call of tools."""
    decide = Refusing(looks_up(len(results), usage(protocol, 100, 5)) if results else None)
    with Loopback(decide=decide) as server:
        config = rules(server, protocol, compact=COMPACT, **more)
        for text in talk:
            run(config, text, folder)
        result = run(config, "go", folder, tools=(giving(*results),) if results else ())
    return decide, result


def climbed(result: RunResult) -> list[str]:
    """The rungs that gained, in order."""
    told = [message for code, message in result.notices if code == "recovered"]
    return [message.partition(": ")[2].split()[0] for message in told]


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_with_an_oversized_result_8_calls_6_compactions_and_1_truncation(protocol: str, folder: Path) -> None:
    decide, result = refused(folder, protocol, (lines(150_000),))
    assert climbed(result) == ["compact"] * 3 + ["truncate_results"] + ["compact"] * 3
    assert len(decide.calls) == 8
    # Five of the six compactions shorten results, for which no model is asked; the talk is summarised last.
    assert decide.summaries == result.compactions == 1
    ended(result, "context_overflow")


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_without_one_4_calls_and_3_compactions(protocol: str, folder: Path) -> None:
    decide, result = refused(folder, protocol, tuple(lines(6_000, n) for n in range(12)))
    assert climbed(result) == ["compact"] * 3
    assert len(decide.calls) == 4
    assert decide.summaries == result.compactions == 0


def test_without_any_result_a_summary_is_all_there_is(folder: Path) -> None:
    decide, result = refused(folder, "openai", ())
    assert climbed(result) == ["compact"]
    assert (len(decide.calls), decide.summaries, result.compactions) == (2, 1, 1)


def test_no_request_is_sent_twice_each_is_shorter_than_the_one_before(folder: Path) -> None:
    decide, _ = refused(folder, "openai", (lines(150_000), *(lines(4_000, n) for n in range(8))))
    assert decide.calls == sorted(set(decide.calls), reverse=True)


@pytest.mark.parametrize(
    ("size", "summaries", "kind"), [(2_400_000, 0, "context_overflow"), (150_000, 1, "compaction_failure")]
)
def test_issue_13624_where_a_summary_overflows_too_it_ends_once_and_bounded(
    size: int, summaries: int, kind: str, folder: Path
) -> None:
    """It was the same error for ever: now truncation is tried, no summary is tried twice, and then it is over."""
    decide = Refusing(looks_up(1, usage("openai", 100, 5)), summary=TOO_LONG)
    with Loopback(decide=decide) as server:
        config = rules(server, compact=COMPACT)
        for text in TALK:
            run(config, text, folder)
        result = run(config, "go", folder, tools=(giving(lines(size)),))
    ended(result, kind)
    assert "prompt is too long" in str(result.meta.error)
    assert [payload.is_error for payload in result.payloads] == [True]
    assert "truncate_results" in climbed(result)
    assert len(decide.calls) <= 8
    assert decide.summaries == summaries


def test_issue_121617_nothing_left_to_summarise_is_not_the_end(folder: Path) -> None:
    """What can be summarised was, right before: the ladder goes on to what else there is."""
    decide = Refusing(looks_up(1))
    ladder = {"overflow": [{"compact": 1}, {"truncate_results": 1}, "give_up"]}
    with Loopback(decide=decide) as server:
        config = rules(server, compact=COMPACT, recovery=ladder, governance={"ops": "cpat"})
        for text in (*TALK, "/dc-compact"):
            run(config, text, folder)
        result = run(config, "go", folder, tools=(giving(lines(30_000)),), profile=None)
    assert decide.summaries == 1
    assert climbed(result) == ["compact", "truncate_results", "compact"]


def test_issue_56649_a_summary_is_asked_of_one_model_whatever_asks_for_it(folder: Path) -> None:
    """There it was another model after an overflow than else. After a fallback it is the model that goes on."""
    decide = Refusing(None)
    with Loopback(decide=decide) as server:
        config = rules(server, compact=COMPACT, provider={"fallbacks": ["large"]})
        for text in (*TALK, "/dc-compact", *TALK):
            run(config, text, folder)
        run(config, "go", folder)
    assert decide.models == ["small", "small"]
    decide = Refusing(None, summary=Refuses(401))
    with Loopback(decide=decide) as server:
        config = rules(server, compact=COMPACT, provider={"fallbacks": ["large"]})
        for text in TALK:
            run(config, text, folder, session="other")
        run(config, "go", folder, session="other")
    assert decide.models == ["small", "large"]


def test_summaries_that_the_planner_asks_for_are_counted_too(folder: Path) -> None:
    """Nothing is refused: the talk has come near the window, and is summarised before the turn begins."""
    decide = Refusing(None)
    with Loopback(decide=decide) as server:
        config = rules(server, compact=COMPACT, governance={"window": 16_000})
        results = [run(config, f"{n} " + "many words about one thing " * 400, folder) for n in range(6)]
    assert 0 < sum(result.compactions for result in results) <= decide.summaries
    assert all("recovered" not in dict(result.notices) for result in results)


@pytest.mark.parametrize("where", ["call", "summary"])
def test_whoever_stops_a_run_stops_the_ladder(where: str, folder: Path) -> None:
    abort = Abort()
    decide = Refusing(None)

    def stopping(body: Any) -> Behaviour:
        behaviour = decide(body)
        if (where == "summary" and decide.summaries) or (where == "call" and decide.calls):
            abort.set()
        return behaviour

    with Loopback(decide=stopping) as server:
        config = rules(server, compact=COMPACT)
        for text in TALK:
            run(config, text, folder)
        result = run(config, "go", folder, abort=abort)
    assert result.meta.aborted
    assert result.meta.error is None
    assert result.compactions == 0
    assert (len(decide.calls), decide.summaries) == ((1, 0) if where == "call" else (1, 1))


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_tries_of_every_kind_are_counted_as_often_as_they_reach_the_server(protocol: str, folder: Path) -> None:
    """A server that is busy three times before each refusal: with the retries of the provider 4 tries a call."""
    decide, kinds = Refusing(looks_up(1, usage(protocol, 100, 5))), Counter[str]()
    busy = {"attempts": 4, "longest_wait": 0.001}

    def decided(body: Any) -> Behaviour:
        if decide.refuses and PROMPT not in json.dumps(body):
            kinds["calls"] += 1
            if kinds["calls"] % 4:
                return Refuses(503)
        return decide(body)

    with Loopback(decide=decided) as server:
        config = rules(server, protocol, compact=COMPACT, provider={"retries": busy})
        for text in TALK:
            run(config, text, folder)
        result = run(config, "go", folder, tools=(giving(lines(150_000)),))
    ended(result, "retry_limit")
    assert f"{retry_limit(1)} tries" in str(result.meta.error)
    assert kinds["calls"] == retry_limit(1) == 32


def test_the_last_try_is_not_exceeded_by_the_retries_of_a_provider(folder: Path) -> None:
    """Five tries a call, and 32 is no multiple of five: the last call has two."""
    decide, seen = Refusing(looks_up(1)), Counter[str]()

    def decided(body: Any) -> Behaviour:
        if not decide.refuses:
            return decide(body)
        seen["calls"] += 1
        return Refuses(503) if seen["calls"] % 5 else decide(body)

    with Loopback(decide=decided) as server:
        config = rules(server, provider={"retries": {"attempts": 5, "longest_wait": 0.001}})
        result = run(config, "go", folder, tools=(giving(lines(150_000)),))
    assert result.meta.error is not None
    assert result.meta.error.kind == "retry_limit"
    assert seen["calls"] == retry_limit(1)
    assert len(decide.calls) == retry_limit(1) // 5


def test_a_summary_is_paid_for_and_told_beside_the_conversation(folder: Path) -> None:
    """What the person pays is more than what the last call held."""
    says = Says(("hello " * 400,), usage={"prompt_tokens": 100, "completion_tokens": 10})
    summary = Says(("short",), usage={"prompt_tokens": 5_000, "completion_tokens": 60})
    script = [says, TOO_LONG, summary, says]
    with Loopback(*script) as server:
        config = rules(server, compact=COMPACT)
        run(config, "one " * 300, folder)
        result = run(config, "two", folder)
    assert result.compactions == 1
    assert result.usage is not None
    assert (result.usage.input, result.usage.output, result.usage.total) == (100, 10, 110)
    assert (result.usage.billed_input, result.usage.billed_output) == (5_100, 70)
    told = result.to_json()["usage"]
    assert (told["billedInput"], told["billedOutput"], told["exact"]) == (5_100, 70, True)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_request_that_was_sent_twice_may_have_been_billed_twice_and_teaches_nothing(
    protocol: str, folder: Path
) -> None:
    says = Says(("ok",), usage=usage(protocol, 90_000, 1))
    with Loopback(Breaks(Says(("x",)), 1), says, says) as server:
        config = rules(server, protocol)
        again = run(config, "one", folder)
        once = run(config, "two", folder)
    assert again.usage is not None
    assert once.usage is not None
    assert (again.usage.exact, once.usage.exact) == (False, True)
    assert len(server.seen) == 3
