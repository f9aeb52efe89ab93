"""Auth profiles: cooldowns, order, and a state that many processes share (runtime spec, section 7; issue 10375)."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from dcc.compiler.load import CompileError, load_program
from dcc.runtime.agent.profiles.profile import (
    Cooldowns,
    Health,
    Profile,
    billing_hours,
    cooldown_s,
    expired,
    failed,
    in_order,
    succeeded,
)
from dcc.runtime.agent.profiles.state import ProfileState
from dcc.runtime.agent.rotation import cooldowns_of

HOUR = 3600.0


@pytest.mark.parametrize(
    ("errors", "seconds"), [(0, 60), (1, 60), (2, 300), (3, 1500), (4, 3600), (5, 3600), (99, 3600)]
)
def test_the_cooldown_grows_to_an_hour(errors: int, seconds: float) -> None:
    assert cooldown_s(errors) == seconds


@pytest.mark.parametrize(("errors", "hours"), [(1, 5), (2, 10), (3, 20), (4, 24), (50, 24)])
def test_an_account_without_credit_is_left_alone_for_hours(errors: int, hours: float) -> None:
    assert billing_hours(errors, Cooldowns()) == hours


def test_a_provider_may_have_hours_of_its_own() -> None:
    written = {"cooldowns": {"billing_hours": 5, "billing_hours_by_provider": {"openai": 1}, "window_hours": 12}}
    auth = load_program({"name": "x", "auth": written}).sections["auth"]
    assert cooldowns_of(auth, "openai") == Cooldowns(billing_hours=1.0, window_hours=12.0)
    assert cooldowns_of(auth, "anthropic") == Cooldowns(window_hours=12.0)
    assert cooldowns_of({}, "openai") == Cooldowns()


@pytest.mark.parametrize("hours", [0, -1])
def test_hours_are_above_zero(hours: int) -> None:
    with pytest.raises(CompileError):
        load_program({"name": "x", "auth": {"cooldowns": {"billing_hours_by_provider": {"openai": hours}}}})


def test_a_failure_cools_the_profile_up_to_a_moment() -> None:
    health = failed(Health(), "auth", 1000.0)
    assert (health.errors, health.cooled_until) == (1, 1060.0)
    assert not health.is_usable(1059.9)
    assert health.is_usable(1060.0)


def test_failures_in_a_row_count_and_old_ones_do_not() -> None:
    second = failed(failed(Health(), "auth", 0.0), "auth", 30.0)
    assert second.cooled_until == 330.0
    later = failed(second, "auth", 30.0 + 25 * HOUR)
    assert (later.errors, later.cooled_until) == (1, 30.0 + 25 * HOUR + 60.0)


def test_billing_disables_and_a_success_clears_all() -> None:
    health = failed(failed(Health(), "billing", 0.0), "billing", 1.0)
    assert health.disabled_until == 1.0 + 10 * HOUR
    assert succeeded(health, 5.0) == Health(last_used=5.0)


def test_only_what_is_over_is_taken_away() -> None:
    health = Health(errors=3, billing_errors=1, cooled_until=10.0, disabled_until=100.0)
    assert expired(health, 10.0) == Health(errors=3, billing_errors=1, disabled_until=100.0)
    assert expired(health, 100.0) == Health()


def test_issue_10375_a_rate_limit_of_one_model_leaves_the_others_alone() -> None:
    health = failed(Health(), "rate_limit", 0.0, model="a")
    assert not health.is_usable(1.0, "a")
    assert health.is_usable(1.0, "b")
    assert health.is_usable(60.0, "a")


def test_issue_10375_a_timeout_does_not_escalate() -> None:
    health = Health()
    for now in (0.0, 1.0, 2.0, 3.0):
        health = failed(health, "timeout", now, model="a")
    assert (health.errors, health.unusable_until("a")) == (0, 63.0)
    assert health.is_usable(3.0, "b")


def _profiles(**kinds: str) -> dict[str, Profile]:
    return {name: Profile(name, "p", kind) for name, kind in kinds.items()}  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("health", "options", "expected"),
    [
        ({}, {}, "o t k1 k2"),
        ({"k1": Health(last_used=9.0)}, {}, "o t k2 k1"),
        ({"o": Health(cooled_until=50.0), "t": Health(cooled_until=20.0)}, {}, "k1 k2 t o"),
        ({}, {"explicit": ("k2", "nobody", "o")}, "k2 o"),
        ({"k2": Health(cooled_until=50.0)}, {"explicit": ("k2", "o")}, "o k2"),
        ({}, {"preferred": "k2"}, "k2 o t k1"),
        ({"k2": Health(cooled_until=50.0)}, {"preferred": "k2"}, "o t k1 k2"),
        ({"o": Health(models={"m": 50.0})}, {"model": "m"}, "t k1 k2 o"),
        ({"o": Health(models={"m": 50.0})}, {"model": "n"}, "o t k1 k2"),
    ],
)
def test_the_order(health: dict[str, Health], options: dict[str, object], expected: str) -> None:
    profiles = _profiles(k2="api_key", o="oauth", k1="api_key", t="token")
    found = in_order(profiles, health, 10.0, **options)  # type: ignore[arg-type]
    assert " ".join(profile.name for profile in found) == expected


def test_the_state_comes_back_and_only_its_owner_can_read_it(tmp_path: Path) -> None:
    state = ProfileState(tmp_path / "state" / "profiles.json")
    assert state.read() == {}
    health = state.change("work", lambda old: failed(old, "rate_limit", 10.0, model="m"))
    assert state.read() == {"work": health}
    for file in (tmp_path / "state").iterdir():
        assert stat.S_IMODE(file.stat().st_mode) == 0o600


@pytest.mark.parametrize("text", ["", "{", "[]", '{"version":1}', '{"version":2,"profiles":{"a":{}}}',
                                  '{"version":1,"profiles":{"a":{"errors":"x"}}}'])  # fmt: skip
def test_a_state_that_cannot_be_read_is_begun_anew(tmp_path: Path, text: str) -> None:
    path = tmp_path / "profiles.json"
    path.write_text(text)
    state = ProfileState(path)
    assert state.read() == {}
    state.change("a", lambda old: succeeded(old, 1.0))
    assert json.loads(path.read_text())["profiles"] == {"a": {"last_used": 1.0}}


@pytest.mark.skipif(os.name != "posix", reason="pipes")
def test_a_pipe_in_the_place_of_the_state_is_not_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "profiles.json"
    os.mkfifo(path)
    state = ProfileState(path)
    assert state.read() == {}
    state.change("a", lambda old: succeeded(old, 1.0))
    assert path.is_file()


COUNT = """
import sys
from pathlib import Path
from dcc.runtime.agent.profiles.profile import failed
from dcc.runtime.agent.profiles.state import ProfileState
state = ProfileState(Path(sys.argv[1]))
for now in range(20):
    state.change("shared", lambda health: failed(health, "auth", float(now)))
"""


def test_two_processes_lose_nothing_of_each_other(tmp_path: Path) -> None:
    path = tmp_path / "profiles.json"
    writers = [subprocess.Popen([sys.executable, "-c", COUNT, str(path)]) for _ in range(2)]
    assert [writer.wait(60) for writer in writers] == [0, 0]
    assert ProfileState(path).read()["shared"].errors == 40
    assert sorted(file.name for file in tmp_path.iterdir()) == ["profiles.json", "profiles.lock"]
