"""The overflow ladder in a session: each rung with a stage on which only it gains (runtime spec, section 3; I-4)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from agents import calls, rules, run
from legality import check_openai
from loopback.behaviour import Refuses, Says
from loopback.server import Loopback

TOO_LONG = Refuses(400, '{"error": {"message": "prompt is too long"}}')
COMPACT = {
    "fields": ["user", "assistant"], "overload_threshold_bytes": 100_000_000,
    "compressors": {"summary": {"prompt": "Sum up: {content}", "periodic": {
        "interval_turns": None, "keep_recent_turns": 0}}},
}  # fmt: skip
LONG = "many words " * 500


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def bodies(server: Loopback) -> list[Any]:
    return [seen.body["messages"] for seen in server.seen]


def test_compaction_is_what_helps_a_long_talk(folder: Path) -> None:
    with Loopback(Says((LONG,)), TOO_LONG, Says(("a summary",)), Says(("short now",))) as server:
        config = rules(server, compact=COMPACT)
        run(config, "one", folder)
        result = run(config, "two", folder)
    assert result.answer == "short now"
    assert result.compactions == 1
    assert "a summary" in str(bodies(server)[-1])
    assert LONG.strip() not in str(bodies(server)[-1])


def test_a_summary_that_cannot_be_made_is_no_recovery_and_no_loss(folder: Path) -> None:
    """Issue 13624: the summary overflows too; the ladder ends, once, and says why."""
    with Loopback(Says((LONG,)), TOO_LONG, TOO_LONG, Says(("fine",))) as server:
        config = rules(server, compact=COMPACT)
        run(config, "one", folder)
        result = run(config, "two", folder)
        assert result.meta.error is not None
        assert result.meta.error.kind == "compaction_failure"
        assert len(server.seen) == 3
        run(config, "three", folder)
    assert LONG.strip() in str(bodies(server)[-1])
    assert "two" not in str(bodies(server)[-1])


FAILED_THERE = Refuses(400, '{"error": {"message": "Summarization failed: 400 prompt is too long"}}')


def test_a_server_that_could_not_sum_up_is_not_helped_by_a_summary(folder: Path) -> None:
    """Runtime spec, 6.1 and 3: such an error skips compaction; results are cut, and nothing is asked for a summary."""
    (folder / "big.txt").write_text("word " * 9_000)
    with Loopback(Says((LONG,)), calls("c1", "read", path="big.txt"), FAILED_THERE, Says(("ok",))) as server:
        config = rules(server, compact=COMPACT)
        run(config, "one", folder)
        result = run(config, "two", folder)
    assert (result.answer, result.compactions) == ("ok", 0)
    assert [body[-1]["role"] for body in bodies(server)] == ["user", "user", "tool", "tool"]
    assert len(bodies(server)[3][-1]["content"]) < len(bodies(server)[2][-1]["content"])


@pytest.mark.parametrize(("refusal", "kind"), [(TOO_LONG, "context_overflow"), (FAILED_THERE, "compaction_failure")])
def test_what_cannot_be_made_shorter_goes_to_the_next_model(refusal: Refuses, kind: str, folder: Path) -> None:
    """Issue 18095: both ends of the ladder fall back where there is a model; without one they are the error."""
    with Loopback(refusal, Says(("large enough",)), refusal) as server:
        config = rules(server, provider={"fallbacks": ["large"]})
        result = run(config, "one", folder)
        alone = run(rules(server), "one", folder, session="alone")
    assert result.answer == "large enough"
    assert f"small cannot be used ({kind}): large goes on" in dict(result.notices)["model_changed"]
    assert [seen.body["model"] for seen in server.seen] == ["small", "large", "small"]
    assert alone.meta.error is not None
    assert alone.meta.error.kind == kind


@pytest.mark.parametrize("results", [1, 12])
def test_results_are_cut_one_by_one_or_together(results: int, folder: Path) -> None:
    """Where the ladder has only this rung: one huge result, or many of middle size (issue I-6)."""
    size = 400_000 // results
    (folder / "big.txt").write_text("".join(f"line {n} of many\n" for n in range(size // 17)))
    asks = Says(calls=tuple(
        (f"c{n}", "exec", (json.dumps({"command": f"head -c 40000 big.txt; echo {n}"}),)) for n in range(results)
    ))  # fmt: skip
    only = {"overflow": [{"truncate_results": 1}, "give_up"]}
    tools = {"exec": {"unconfined": True}}
    with Loopback(asks, TOO_LONG, Says(("ok",))) as server:
        result = run(rules(server, recovery=only, tools=tools), "go", folder)
    assert result.answer == "ok"
    assert "/cpat undo #" in dict(result.notices)["truncated"]
    before, after = bodies(server)[1:]
    assert check_openai(after) == []
    said = [message["content"] for message in after if message["role"] == "tool"]
    was = [message["content"] for message in before if message["role"] == "tool"]
    assert all(said)
    assert all(len(now) <= len(then) for now, then in zip(said, was, strict=True))
    assert sum(map(len, said)) < sum(map(len, was))
    assert "artifact://" in "".join(said)
    assert "left out" in "".join(said)


def test_what_was_cut_can_be_looked_up(folder: Path) -> None:
    (folder / "big.txt").write_text("".join(f"line {n}\n" for n in range(5_000)))
    only = {"overflow": [{"truncate_results": 1}, "give_up"]}
    with Loopback(calls("c1", "read", path="big.txt"), TOO_LONG, Says(("ok",))) as server:
        run(rules(server, recovery=only), "go", folder)
        said = next(m["content"] for m in bodies(server)[-1] if m["role"] == "tool")
        address = next(word for word in said.split() if word.startswith("artifact://"))
        server.script.extend([calls("c2", "artifact_get", uri=address, offset=5_000, max_chars=20), Says(("ok",))])
        run(rules(server, recovery=only), "look", folder)
    assert "line" in bodies(server)[-1][-1]["content"]


def test_give_up_at_once_is_a_ladder_too(folder: Path) -> None:
    with Loopback(Says((LONG,)), TOO_LONG) as server:
        config = rules(server, compact=COMPACT, recovery={"overflow": ["give_up"]})
        run(config, "one", folder)
        result = run(config, "two", folder)
    assert result.meta.error is not None
    assert len(server.seen) == 2


def test_an_agent_keeps_to_its_window_though_its_ruleset_says_nothing_of_it(folder: Path) -> None:
    """The seed: history that leaves less than the reserve is made shorter before the provider refuses it."""
    (folder / "big.txt").write_text("".join(f"line {n} of the file\n" for n in range(1_900)))
    script = [calls(f"c{n}", "read", path="big.txt") for n in range(20)]
    with Loopback(*script, Says(("ok",))) as server:
        config = rules(server, life_cycle={"toolResult": ["born", None]})
        result = run(config, "go", folder)
    assert result.answer == "ok"
    assert "critical_pass" in dict(result.notices)
    assert max(map(len, map(str, bodies(server)))) < 200_000 * 3.4


def test_a_few_long_turns_are_summed_up_though_they_are_the_newest(folder: Path) -> None:
    """Issue 13624: four turns, of which ten would be spared, fill the window; each refusal spares fewer."""
    spares = {**COMPACT, "compressors": {"summary": {"prompt": "Sum up: {content}", "periodic": {
        "interval_turns": None, "keep_recent_turns": 10}}}}  # fmt: skip
    talk = [Says((f"{word} {LONG}",)) for word in ("first", "second", "third", "fourth")]
    refused = (TOO_LONG, Says(("a summary",)), TOO_LONG, Says(("another summary",)), Says(("short now",)))
    with Loopback(*talk, *refused) as server:
        config = rules(server, compact=spares)
        for prompt in ("1", "2", "3", "4"):
            run(config, prompt, folder)
        result = run(config, "5", folder)
    assert (result.answer, result.compactions) == ("short now", 2)
    once, twice = (str(bodies(server)[n]) for n in (-3, -1))
    assert [word for word in ("first", "second", "third", "fourth") if f"{word} many" in once] == ["third", "fourth"]
    assert [word for word in ("first", "second", "third", "fourth") if f"{word} many" in twice] == ["fourth"]


def test_turns_that_gain_nothing_are_not_all_that_is_tried(folder: Path) -> None:
    """A summary of the old, short turns would be longer than they are; one that takes the newest along is not."""
    spares = {**COMPACT, "compressors": {"summary": {"prompt": "Sum up: {content}", "periodic": {
        "interval_turns": None, "keep_recent_turns": 1}}}}  # fmt: skip
    summary = Says(("a summary that is longer than the first turn",))
    with Loopback(Says(("a",)), Says((LONG,)), TOO_LONG, summary, summary, Says(("short now",))) as server:
        config = rules(server, compact=spares)
        for prompt in ("1", "2"):
            run(config, prompt, folder)
        result = run(config, "3", folder)
    assert result.answer == "short now"
    assert LONG.strip() not in str(bodies(server)[-1])
