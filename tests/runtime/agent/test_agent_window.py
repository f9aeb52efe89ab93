"""The window of an agent and its reserve, in a run. Their numbers: conformance/agent_context.yaml."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from agents import rules, run, usage
from loopback.behaviour import Refuses, Says
from loopback.server import Loopback

from dcc.runtime.agent.window import Reserve, Window, reserve_of
from dcc.runtime.session import Session
from dcc.runtime.store.reopening import program_of
from dcc.runtime.store.sqlite import SqliteStore
from dcc.runtime.values import GovernanceFlags


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_reserve_that_is_written_too_large_says_that_it_was_capped() -> None:
    assert reserve_of(120_000, 70_000) == Reserve(60_000, capped=True)


@pytest.mark.parametrize(
    ("tokens", "small", "too_small"),
    [(0, False, False), (15_999, True, True), (16_000, True, False), (31_999, True, False), (32_000, False, False)],
)
def test_the_guard(tokens: int, small: bool, too_small: bool) -> None:
    window = Window(tokens, "model")
    assert (window.is_small, window.is_too_small) == (small, too_small)


@pytest.mark.parametrize("known_to", ["ruleset", "host"])
@pytest.mark.parametrize(
    ("tokens", "error", "told"),
    [(15_999, "window_too_small", []), (16_000, None, ["small_window"]), (31_999, None, ["small_window"]),
     (32_000, None, [])],
)  # fmt: skip
def test_a_run_in_a_small_window_is_refused_or_warned_of(
    known_to: str, tokens: int, error: str | None, told: list[str], folder: Path
) -> None:
    config: dict[str, Any] = {"name": "x"}
    flags = GovernanceFlags()
    if known_to == "ruleset":
        config["governance"] = {"window": tokens}
    else:
        flags = GovernanceFlags(window=tokens)
    result = run(config, "hello", folder, flags=flags)
    assert (result.meta.error.kind if result.meta.error is not None else None) == error
    assert [code for code, _ in result.notices] == told
    if error is not None:
        assert "16,000" in result.payloads[0].text
        assert ("governance.window" in result.payloads[0].text) == (known_to == "ruleset")


@pytest.mark.parametrize(
    ("reserve", "flags", "told"),
    [
        (70_000, GovernanceFlags(window=120_000), True),
        (60_000, GovernanceFlags(window=120_000), False),
        (None, GovernanceFlags(window=120_000, reserve=70_000), True),
        (None, GovernanceFlags(window=120_000), False),
    ],
)
def test_issue_87102_a_run_says_that_less_is_kept_free_than_is_written(
    reserve: int | None, flags: GovernanceFlags, told: bool, folder: Path
) -> None:
    """Where the ruleset has the window too, `dcc check` says it (DCC606)."""
    result = run({"name": "x", "governance": {"reserve": reserve}}, "hello", folder, flags=flags)
    assert result.meta.error is None
    notices = dict(result.notices)
    assert ("reserve_capped" in notices) is told
    if told:
        assert notices["reserve_capped"] == (
            "of a window of 120,000 tokens 60,000 are kept free for the answer, not more"
        )


@pytest.mark.parametrize("made", [True, False])
def test_a_session_is_billed_for_its_summaries_in_later_runs_too(made: bool, folder: Path) -> None:
    compact = {
        "fields": ["user", "assistant"],
        "compressors": {"summary": {"prompt": "Sum up: {content}", "periodic": {"keep_recent_turns": 0}}},
    }
    too_long = Refuses(400, '{"error": {"message": "prompt is too long"}}')
    words = "many words " * (100 if made else 5_000)
    talk, summary = usage("anthropic", 100, 10), usage("anthropic", 3_000, 200, 7, 5)
    with Loopback(
        Says(("many words " * 900,), usage=talk), too_long, *[Says((words,), usage=summary)] * (1 if made else 3),
        *[Says(("ok",), usage=talk)] * 3,
    ) as server:  # fmt: skip
        config = rules(server, "anthropic", compact=compact, governance={"window": 40_000, "reserve": 5_000})
        run(config, "one", folder)
        run(config, "two", folder)
        spent = run(config, "/dc-status", folder).session_usage
        store = SqliteStore(folder / "sessions.db", "s")
        again = Session.open(store, program_of(store)).spending
        store.close()
    assert spent is not None
    assert again == spent
    assert (spent.input, spent.output) == (100 * spent.replies, 10 * spent.replies)
    n = sum("Sum up" in seen.raw.decode() for seen in server.seen)
    assert n > 0
    assert spent.billed == (spent.input + 3_000 * n, spent.output + 200 * n, 7 * n, 5 * n)


def test_summaries_of_a_run_are_as_long_as_the_reserve_has_room_for_and_thought_over(folder: Path) -> None:
    compact = {
        "fields": ["user", "assistant"],
        "compressors": {"summary": {"prompt": "Sum up: {content}", "periodic": {"keep_recent_turns": 0}}},
    }
    too_long = Refuses(400, '{"error": {"message": "prompt is too long"}}')
    governance = {"window": 40_000, "reserve": 5_000}
    with Loopback(Says(("many words " * 900,)), too_long, Says(("a summary",)), Says(("ok",))) as server:
        config = rules(server, "anthropic", compact=compact, governance=governance)
        run(config, "one", folder)
        assert run(config, "two", folder).answer == "ok"
    summary = server.seen[2].body
    assert summary["thinking"] == {"type": "enabled", "budget_tokens": 16_384}
    assert summary["max_tokens"] == 4_000 + 16_384
