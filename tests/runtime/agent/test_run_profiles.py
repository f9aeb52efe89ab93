"""Profiles in a run: those that fail rest, the next one is asked (runtime spec, sections 6 and 7, issue 10375)."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import pytest
from agents import PROTOCOLS, calls, rules, run
from loopback.behaviour import Behaviour, Refuses, Says
from loopback.server import Loopback

from dcc.runtime.agent.ladder import retry_limit
from dcc.runtime.kernel.clock import ManualClock

ENVIRON = {"KEY_A": "sk-aaaaaaaaaaaa", "KEY_B": "sk-bbbbbbbbbbbb"}
LIMIT = Refuses(429, '{"error": {"message": "rate limit"}}')
AUTH = Refuses(401, '{"error": {"message": "no such key"}}')
BILLING = Refuses(402, '{"error": {"message": "payment required"}}')


def two(server: Loopback, protocol: str = "openai", **more: Any) -> dict[str, Any]:
    """A ruleset with the profiles a and b, in this order."""
    profiles = {name: {"provider": protocol, "key_env": f"KEY_{name.upper()}"} for name in ("a", "b")}
    return rules(server, protocol, auth={"profiles": profiles, "order": ["a", "b"]}, **more)


def keys(server: Loopback) -> list[str]:
    """The profiles whose keys were sent, in order."""
    found = []
    for seen in server.seen:
        key = seen.headers.get("x-api-key") or seen.headers["authorization"].removeprefix("Bearer ")
        found.append(next(name for name, value in ENVIRON.items() if value == key)[-1].lower())
    return found


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_profile_at_its_limit_rests_and_the_next_is_asked_at_once(protocol: str, folder: Path) -> None:
    clock = ManualClock(1_000_000.0)
    with Loopback(LIMIT, *[Says(("ok",))] * 3) as server:
        config = two(server, protocol)
        first = run(config, "one", folder, environ=ENVIRON, clock=clock)
        run(config, "two", folder, environ=ENVIRON, clock=clock)
        clock.advance(61)
        run(config, "three", folder, environ=ENVIRON, clock=clock)
    assert first.answer == "ok"
    assert first.meta.agent.profile == "b"
    assert keys(server) == ["a", "b", "b", "a"]


def test_the_shared_file_is_private_and_holds_no_key(folder: Path) -> None:
    with Loopback(LIMIT, Says(("ok",))) as server:
        run(two(server), "one", folder, environ=ENVIRON)
    file = folder / "auth-profiles.json"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert set(json.loads(file.read_text())["profiles"]) == {"a", "b"}
    assert not any(value in file.read_text() for value in ENVIRON.values())


def one(server: Loopback, **more: Any) -> dict[str, Any]:
    """A ruleset with one profile, and the model other beside small."""
    auth = {"profiles": {"a": {"provider": "openai", "key_env": "KEY_A"}}}
    return rules(server, "openai", auth=auth, provider={"fallbacks": ["other"], **more})


def models(server: Loopback) -> list[str]:
    """The models that were asked, in order."""
    return [seen.body["model"] for seen in server.seen]


@pytest.mark.parametrize(
    "refusal",
    [pytest.param(LIMIT, id="openclaw-10375-a-rate-limit"), pytest.param(Refuses(504), id="openclaw-87462-a-timeout")],
)
def test_the_next_model_of_the_same_profile_is_asked_at_once(refusal: Refuses, folder: Path) -> None:
    with Loopback(refusal, Says(("ok",))) as server:
        result = run(one(server), "one", folder, environ=ENVIRON)
    assert result.answer == "ok"
    assert models(server) == ["small", "other"]
    assert keys(server) == ["a", "a"]


def test_openclaw_23317_the_answers_of_another_model_do_not_end_a_rest(folder: Path) -> None:
    clock = ManualClock(1_000_000.0)
    with Loopback(LIMIT, *[Says(("ok",))] * 3) as server:
        for _ in range(2):
            assert run(one(server), "one", folder, environ=ENVIRON, clock=clock).answer == "ok"
            clock.advance(30)
        assert run(one(server), "one", folder, environ=ENVIRON, clock=clock).answer == "ok"
    assert models(server) == ["small", "other", "other", "small"]


def test_a_limit_of_one_model_leaves_the_others_of_the_profile(folder: Path) -> None:
    clock = ManualClock(1_000_000.0)
    with Loopback(LIMIT, Says(("ok",)), Says(("ok",))) as server:
        run(two(server), "one", folder, environ=ENVIRON, clock=clock)
        run(two(server), "two", folder, environ=ENVIRON, clock=clock, model="other")
    assert keys(server) == ["a", "b", "a"]


@pytest.mark.parametrize(("refusal", "kind"), [(LIMIT, "rate_limit"), (AUTH, "auth"), (BILLING, "billing")])
def test_when_all_profiles_fail_the_last_failure_is_told(refusal: Refuses, kind: str, folder: Path) -> None:
    with Loopback(refusal, refusal) as server:
        result = run(two(server), "one", folder, environ=ENVIRON)
    assert result.meta.error is not None
    assert result.meta.error.kind == kind
    assert keys(server) == ["a", "b"]


def test_when_all_profiles_rest_nothing_is_sent_and_they_are_named(folder: Path) -> None:
    clock = ManualClock(1_000_000.0)
    with Loopback(AUTH, AUTH) as server:
        run(two(server), "one", folder, environ=ENVIRON, clock=clock)
        result = run(two(server), "two", folder, environ=ENVIRON, clock=clock)
    assert result.meta.error is not None
    assert result.meta.error.kind == "rate_limit"
    assert "a until" in result.meta.error.message
    assert "b until" in result.meta.error.message
    assert len(server.seen) == 2


def test_a_profile_that_the_person_chose_never_gives_way(folder: Path) -> None:
    clock = ManualClock(1_000_000.0)
    with Loopback(LIMIT, Says(("ok",))) as server:
        first = run(two(server), "one", folder, environ=ENVIRON, clock=clock, profile="b")
        second = run(two(server), "two", folder, environ=ENVIRON, clock=clock, profile="b")
    assert first.meta.error is not None
    assert second.answer == "ok"
    assert keys(server) == ["b", "b"]


def test_profiles_rotate_in_the_middle_of_a_tool_loop(folder: Path) -> None:
    with Loopback(calls("c1", "read", path="x"), LIMIT, calls("c2", "read", path="x"), Says(("ok",))) as server:
        result = run(two(server), "one", folder, environ=ENVIRON)
    assert result.answer == "ok"
    assert keys(server) == ["a", "a", "b", "b"]


@pytest.mark.parametrize("refusal", [Refuses(408), Refuses(504), Refuses(529, '{"error": {"message": "overloaded"}}')])
def test_a_timeout_rests_the_model_for_a_minute_and_never_for_longer(refusal: Refuses, folder: Path) -> None:
    """openclaw leaves a profile alone whose prompt was not taken in time and rests it where the answer was not; dcc
    rests its model alone, each time for the same minute (I-18)."""
    clock = ManualClock(1_000_000.0)
    with Loopback(decide=lambda body: Says(("ok",)) if len(server.seen) % 2 == 0 else refusal) as server:
        for _ in range(3):
            assert run(two(server), "one", folder, environ=ENVIRON, clock=clock).answer == "ok"
            clock.advance(60)
    assert keys(server) == ["a", "b"] * 3


def test_when_no_profile_is_left_for_a_model_the_next_model_is_asked(folder: Path) -> None:
    with Loopback(LIMIT, LIMIT, Says(("ok",))) as server:
        result = run(two(server, provider={"fallbacks": ["other"]}), "one", folder, environ=ENVIRON)
    assert result.answer == "ok"
    assert [seen.body["model"] for seen in server.seen] == ["small", "small", "other"]
    assert "model_changed" in dict(result.notices)


@pytest.mark.parametrize("says", ["roles must alternate", "image exceeds 5 MB", "image dimensions exceed 8000 pixels"])
def test_what_no_profile_level_or_model_mends_is_told_at_once(says: str, folder: Path) -> None:
    """Runtime spec, 6.3, the order: roles and images come before the next profile, thinking and the next model."""
    refusal = Refuses(400, json.dumps({"error": {"message": f"{says}; thinking is not supported"}}))
    with Loopback(decide=lambda body: refusal) as server:
        result = run(two(server, provider={"fallbacks": ["other"]}), "one", folder, environ=ENVIRON, think="high")
    assert result.meta.error is not None
    assert (len(server.seen), keys(server)) == (1, ["a"])


def test_the_next_profile_comes_before_less_thinking_and_that_before_the_next_model(folder: Path) -> None:
    refused = Refuses(400, '{"error": {"message": "the thinking level is not supported"}}')
    with Loopback(LIMIT, refused, LIMIT, Says(("ok",))) as server:
        result = run(two(server, provider={"fallbacks": ["other"]}), "one", folder, environ=ENVIRON, think="high")
    assert result.answer == "ok"
    asked = [(seen.body["model"], seen.body["reasoning_effort"]) for seen in server.seen]
    assert asked == [("small", "high"), ("small", "high"), ("small", "medium"), ("other", "high")]
    assert keys(server) == ["a", "b", "b", "a"]


def test_a_profile_without_its_key_is_left_out_and_told(folder: Path) -> None:
    with Loopback(Says(("ok",))) as server:
        result = run(two(server), "one", folder, environ={"KEY_B": ENVIRON["KEY_B"]})
    assert keys(server) == ["b"]
    assert "profile_without_key" in dict(result.notices)


def test_without_any_key_the_run_ends_before_it_begins(folder: Path) -> None:
    with Loopback() as server:
        result = run(two(server), "one", folder)
    assert result.meta.error is not None
    assert result.meta.error.kind == "auth"
    assert "KEY_A" in result.payloads[0].text


def test_whatever_fails_the_tries_of_a_prompt_are_bounded(folder: Path) -> None:
    """Profiles that rest no time: a limit, an overflow, a cut, again and again."""
    clock = ManualClock(1_000_000.0)
    kinds: list[Behaviour] = [LIMIT, Refuses(400, '{"error": {"message": "prompt is too long"}}'), AUTH]
    count = [0]

    def decide(body: Any) -> Behaviour:
        clock.advance(100_000)
        count[0] += 1
        return kinds[count[0] % 3]

    with Loopback(decide=decide) as server:
        result = run(two(server), "one", folder, environ=ENVIRON, clock=clock)
    assert result.meta.error is not None
    assert len(server.seen) <= retry_limit(2)


def test_profiles_that_fail_for_ever_come_to_the_limit_of_tries(folder: Path) -> None:
    clock = ManualClock(1_000_000.0)

    def decide(body: Any) -> Behaviour:
        clock.advance(100_000)
        return LIMIT

    with Loopback(decide=decide) as server:
        result = run(two(server), "one", folder, environ=ENVIRON, clock=clock)
    assert result.meta.error is not None
    assert result.meta.error.kind == "retry_limit"
    assert f"{retry_limit(2)} tries" in result.meta.error.message
    assert len(server.seen) == retry_limit(2) == 40
