"""Auth profiles: cooldowns, order, and a state that many processes share (runtime spec, sections 7 and 8)."""

from __future__ import annotations

import fcntl
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
    Reason,
    Rest,
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


def test_the_hours_where_nothing_is_said() -> None:
    assert Cooldowns() == Cooldowns(billing_hours=5.0, billing_most_hours=24.0, window_hours=24.0)
    assert billing_hours(2, Cooldowns(billing_hours=1.0, billing_most_hours=1.5)) == 1.5


@pytest.mark.parametrize("hours", [0, -1])
@pytest.mark.parametrize("key", ["billing_hours", "billing_most_hours", "window_hours", "billing_hours_by_provider"])
def test_hours_are_above_zero(key: str, hours: int) -> None:
    written = {"openai": hours} if key == "billing_hours_by_provider" else hours
    with pytest.raises(CompileError):
        load_program({"name": "x", "auth": {"cooldowns": {key: written}}})


def test_a_failure_cools_the_profile_up_to_a_moment() -> None:
    health = failed(Health(), "auth", 1000.0)
    assert (health.errors, health.cooled_until) == (1, 1060.0)
    assert not health.is_usable(1059.9)
    assert health.is_usable(1060.0)


def test_failures_in_a_row_count() -> None:
    second = failed(failed(Health(), "auth", 0.0), "auth", 30.0)
    assert (second.errors, second.last_failure, second.cooled_until) == (2, 30.0, 330.0)


@pytest.mark.parametrize(("hours", "errors", "billing"), [(24.0, 3, 2), (24.001, 1, 1)])
def test_failures_before_the_window_are_forgotten(hours: float, errors: int, billing: int) -> None:
    """It is measured from the last failure. The account is without credit for longer than that."""
    health = Health(errors=2, billing_errors=1, last_failure=0.0, disabled_until=100 * HOUR)
    again = failed(health, "billing", hours * HOUR)
    assert (again.errors, again.billing_errors) == (errors, billing)


def test_openclaw_17853_what_is_over_counts_no_more() -> None:
    """A failure after each rest would else come to an hour."""
    health, now = Health(), 0.0
    for _ in range(4):
        health = failed(health, "auth", now)
        assert (health.errors, health.cooled_until) == (1, now + 60.0)
        now += 60.0


def test_billing_is_counted_for_itself() -> None:
    health = failed(failed(Health(), "auth", 0.0), "billing", 1.0)
    assert (health.errors, health.billing_errors) == (2, 1)
    assert (health.cooled_until, health.disabled_until) == (60.0, 1.0 + 5 * HOUR)


@pytest.mark.parametrize(
    ("health", "until"),
    [
        (Health(), 0.0), (Health(cooled_until=5.0), 5.0), (Health(cooled_until=5.0, disabled_until=9.0), 9.0),
        (Health(cooled_until=9.0, disabled_until=5.0), 9.0), (Health(cooled_until=5.0, models={"m": Rest(7.0)}), 7.0),
        (Health(cooled_until=5.0, models={"n": Rest(7.0)}), 5.0),
    ],
)  # fmt: skip
def test_a_profile_is_used_again_when_all_of_it_is_over(health: Health, until: float) -> None:
    assert health.unusable_until("m") == until
    assert health.is_usable(until, "m")
    assert until == 0.0 or not health.is_usable(until - 0.001, "m")


def test_billing_disables_and_a_success_clears_all() -> None:
    health = failed(failed(Health(), "billing", 0.0), "billing", 1.0)
    assert health.disabled_until == 1.0 + 10 * HOUR
    assert succeeded(health, 5.0, model="m") == Health(last_used=5.0)


def test_only_what_is_over_is_taken_away() -> None:
    health = Health(errors=3, billing_errors=1, cooled_until=10.0, disabled_until=100.0)
    assert expired(health, 10.0) == Health(errors=3, billing_errors=1, disabled_until=100.0)
    assert expired(health, 100.0) == Health()


def test_openclaw_10375_a_rate_limit_of_one_model_leaves_the_others_alone() -> None:
    health = failed(Health(), "rate_limit", 0.0, model="a")
    assert not health.is_usable(1.0, "a")
    assert health.is_usable(1.0, "b")
    assert health.is_usable(60.0, "a")


def test_openclaw_23317_each_model_is_counted_for_itself() -> None:
    """The first limit of a second model is no second failure, and its answers do not end the rest of the first."""
    health = failed(failed(Health(), "rate_limit", 0.0, model="a"), "rate_limit", 1.0, model="b")
    assert (health.unusable_until("a"), health.unusable_until("b"), health.unusable_until("c")) == (60.0, 61.0, 0.0)
    health = failed(health, "rate_limit", 2.0, model="b")
    assert (health.errors, health.unusable_until("b")) == (0, 302.0)
    assert succeeded(health, 10.0, model="c") == Health(last_used=10.0, models=health.models)
    assert succeeded(health, 10.0, model="b") == Health(last_used=10.0, models={"a": Rest(60.0, 1)})
    assert succeeded(health, 60.0, model="b") == Health(last_used=60.0)


def test_openclaw_87462_a_timeout_of_one_model_leaves_the_others_alone_and_does_not_escalate() -> None:
    health = Health()
    for now in (0.0, 1.0, 2.0, 3.0):
        health = failed(health, "timeout", now, model="a")
    assert (health.errors, health.unusable_until("a")) == (0, 63.0)
    assert health.is_usable(3.0, "b")


@pytest.mark.parametrize("reason", ["auth", "billing"])
def test_what_is_wrong_with_the_account_is_wrong_for_every_model(reason: Reason) -> None:
    assert not failed(Health(), reason, 0.0, model="a").is_usable(1.0, "b")


@pytest.mark.parametrize("model", ["a", None])
def test_a_timeout_makes_no_rest_shorter(model: str | None) -> None:
    health = Health()
    for now in (0.0, 1.0, 2.0):
        health = failed(health, "rate_limit", now, model=model)
    assert failed(health, "timeout", 3.0, model=model).unusable_until(model) == 1502.0


def _profiles(**kinds: str) -> dict[str, Profile]:
    return {name: Profile(name, "p", kind) for name, kind in kinds.items()}  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("health", "options", "expected"),
    [
        ({}, {}, "o t k1 k2"),
        ({"k1": Health(last_used=9.0)}, {}, "o t k2 k1"),
        ({"o": Health(cooled_until=50.0), "t": Health(cooled_until=20.0)}, {}, "k1 k2 t o"),
        ({"k1": Health(last_used=9.0), "k2": Health(last_used=9.5), "o": Health(last_used=99.0)}, {}, "o t k1 k2"),
        ({"k1": Health(disabled_until=90.0), "k2": Health(cooled_until=50.0)}, {}, "o t k2 k1"),
        ({}, {"explicit": ("k2", "nobody", "o")}, "k2 o"),
        ({"k2": Health(cooled_until=50.0), "t": Health(cooled_until=20.0)}, {"explicit": ("k2", "t", "o")}, "o t k2"),
        ({}, {"explicit": ("k2", "o"), "preferred": "o"}, "o k2"),
        ({"k2": Health(cooled_until=50.0)}, {"explicit": ("k2", "o")}, "o k2"),
        ({}, {"preferred": "k2"}, "k2 o t k1"),
        ({"k2": Health(cooled_until=50.0)}, {"preferred": "k2"}, "o t k1 k2"),
        ({"o": Health(models={"m": Rest(50.0)})}, {"model": "m"}, "t k1 k2 o"),
        ({"o": Health(models={"m": Rest(50.0)})}, {"model": "n"}, "o t k1 k2"),
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
                                  '{"version":1,"profiles":{"a":{"errors":"x"}}}',
                                  '{"version":1,"profiles":{"a":{"models":{"m":["x"]}}}}',
                                  '{"version":1,"profiles":{"a":{"models":{"m":5.0}}}}'])  # fmt: skip
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


def test_a_lock_that_somebody_keeps_is_not_waited_for_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dcc.runtime.agent.profiles.state.PATIENCE_S", 0.05)
    with (tmp_path / "profiles.lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(BlockingIOError):
            ProfileState(tmp_path / "profiles.json").change("a", lambda old: succeeded(old, 1.0))
    ProfileState(tmp_path / "profiles.json").change("a", lambda old: succeeded(old, 1.0))


def test_a_state_that_is_endless_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "profiles.json"
    path.write_text(json.dumps({"version": 1, "profiles": {"a": {"errors": 1}}}) + " " * (1 << 20))
    assert ProfileState(path).read() == {}


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
