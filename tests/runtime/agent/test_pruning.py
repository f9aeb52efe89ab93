"""Pruning once the cache is cold: the algorithm of the spec, section 5, counted in characters as the original does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dcc.compiler.load import load_program
from dcc.runtime.agent.pruning import (
    Act,
    Entry,
    PruningPlan,
    PruningSettings,
    Size,
    plan_pruning,
    pruning_settings,
    ttl_s,
)

DEFAULTS = PruningSettings()

#: 16,000 tokens at 4 characters each.
WINDOW = 64_000


def short(entry: Entry, act: Act, settings: PruningSettings = DEFAULTS) -> Size | None:
    """What stands in a result's place, without an address, as in the original."""
    length = len(settings.placeholder) if act == "clear" else len(settings.trimmed("x" * entry.characters))
    return Size(length, length) if length < entry.characters else None


def result(slot: str, characters: int) -> Entry:
    return Entry(slot, "result", characters, characters)


def talk(*results: int, answers: int = 4, lead: int = 100) -> list[Entry]:
    """A message, an answer with a result for each number, and answers behind them."""
    entries = [Entry("user", "user", lead)]
    for n, size in enumerate(results):
        entries += [Entry(f"a{n}", "assistant", 10), result(f"r{n}", size)]
    return [*entries, *(Entry(f"end{n}", "assistant", 10) for n in range(answers))]


def plan(
    entries: Sequence[Entry],
    settings: PruningSettings = DEFAULTS,
    *,
    window: int = WINDOW,
    now: float = 300.0,
    touched: float | None = 0.0,
) -> PruningPlan | None:
    return plan_pruning(
        entries, settings, window, now=now, touched=touched, short=lambda e, act: short(e, act, settings)
    )


def done(found: PruningPlan | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    assert found is not None
    return found.trimmed, found.cleared


@pytest.mark.parametrize(
    ("now", "touched", "prunes"),
    [(300.0, 0.0, True), (299.9, 0.0, False), (10_000.0, None, False), (1_000.0, 700.0, True), (1_000.0, 701.0, False)],
)
def test_only_a_cold_cache_is_given_up(now: float, touched: float | None, prunes: bool) -> None:
    assert (plan(talk(30_000), now=now, touched=touched) is not None) is prunes


def test_a_lifetime_of_zero_prunes_nothing() -> None:
    assert plan(talk(30_000), replace(DEFAULTS, ttl_s=0.0)) is None


def test_the_plan_names_the_time_it_saw() -> None:
    found = plan(talk(30_000), now=1_000.0, touched=100.0)
    assert found is not None
    assert (found.at, found.idle_s) == (1_000.0, 900.0)


def test_below_the_soft_share_nothing_happens() -> None:
    assert plan(talk(19_000)) is None
    assert done(plan(talk(19_200))) == (("r0",), ())


@pytest.mark.parametrize(("window", "prunes"), [(64_000, True), (64_001, False)])
def test_the_soft_share_itself_is_reached(window: int, prunes: bool) -> None:
    entries = talk(19_050)
    assert sum(entry.size for entry in entries) == 0.3 * 64_000
    assert (plan(entries, window=window) is not None) is prunes


@pytest.mark.parametrize(("window", "clears"), [(400_000, 1), (400_001, 0)])
def test_the_hard_share_itself_is_reached(window: int, clears: int) -> None:
    entries = talk(*[3_900] * 51, lead=550)
    assert sum(entry.size for entry in entries) == 0.5 * 400_000
    found = plan(entries, window=window)
    assert (len(found.cleared) if found is not None else 0) == clears


def test_long_results_are_trimmed_and_short_ones_are_not() -> None:
    assert done(plan(talk(4_000, 4_001, 15_000))) == (("r1", "r2"), ())


def test_a_trim_that_would_keep_all_is_none() -> None:
    settings = replace(DEFAULTS, head=8_000, tail=8_000)
    assert plan(talk(15_000, 10_000), settings) is None


def test_what_trimming_leaves_is_known() -> None:
    found = plan(talk(30_000))
    assert found is not None
    trimmed = len(DEFAULTS.trimmed("x" * 30_000))
    assert 3_000 < trimmed < 3_100
    assert (found.before - found.after, found.first) == (30_000 - trimmed, "r0")
    assert found.behind == 40


def test_above_the_hard_share_the_oldest_are_cleared_until_below_it() -> None:
    # 60 results of 3,900 characters: none is long enough to be trimmed.
    found = plan(talk(*[3_900] * 60), window=400_000)
    trimmed, cleared = done(found)
    assert trimmed == ()
    assert cleared == tuple(f"r{n}" for n in range(9))
    assert found is not None
    assert found.after < 200_000 <= found.after + 3_900 - len(DEFAULTS.placeholder)


def test_trimmed_ones_are_cleared_where_trimming_was_not_enough() -> None:
    found = plan(talk(*[20_000] * 20), window=100_000)
    trimmed, cleared = done(found)
    assert cleared == tuple(f"r{n}" for n in range(len(cleared)))
    assert trimmed == tuple(f"r{n}" for n in range(len(cleared), 20))
    assert cleared


def test_clearing_needs_enough_to_take() -> None:
    few = talk(*[3_900] * 12)
    assert plan(few, window=50_000) is None
    assert done(plan(few, replace(DEFAULTS, least=12 * 3_900), window=50_000))[1]


def test_clearing_may_be_off() -> None:
    assert plan(talk(*[3_900] * 60), replace(DEFAULTS, clears=False), window=400_000) is None


def test_the_newest_answers_and_what_follows_them_are_spared() -> None:
    entries = talk(30_000, 30_000, 30_000, answers=2)
    assert done(plan(entries))[0] == ("r0", "r1")
    assert done(plan(entries, replace(DEFAULTS, keep_last=1)))[0] == ("r0", "r1", "r2")
    assert done(plan(entries, replace(DEFAULTS, keep_last=0)))[0] == ("r0", "r1", "r2")


def test_with_fewer_answers_than_that_nothing_is_old() -> None:
    assert plan(talk(60_000, answers=1)) is None


def test_what_stands_before_the_first_message_of_a_person_is_left_alone() -> None:
    lead = [Entry("a", "assistant", 10), result("before", 30_000)]
    assert done(plan([*lead, *talk(30_000)]))[0] == ("r0",)
    assert plan([*lead, *talk(30_000)][:2] + [Entry(f"e{n}", "assistant", 1) for n in range(5)]) is None


def test_what_is_spared_is_left_alone_and_what_was_trimmed_is_not_trimmed_again() -> None:
    entries = [replace(e, state="spared") if e.slot == "r0" else e for e in talk(30_000, 30_000)]
    assert done(plan(entries)) == (("r1",), ())
    trimmed = [replace(e, state="trimmed") if e.kind == "result" else e for e in talk(*[20_000] * 5)]
    assert plan(trimmed, window=250_000) is None
    assert done(plan(trimmed, window=190_000)) == ((), ("r0",))


@pytest.mark.parametrize(
    ("tool", "prunes"),
    [("exec", True), ("EXEC ", True), ("web_search", True), ("web_fetch", False), ("read", False), ("bash", False)],
)
def test_which_tools(tool: str, prunes: bool) -> None:
    settings = replace(DEFAULTS, allow=("Exec", "web*"), deny=("web_fetch",))
    assert settings.may_prune(tool) is prunes


def test_no_list_is_all_tools_and_deny_wins() -> None:
    assert DEFAULTS.may_prune("anything")
    assert not replace(DEFAULTS, allow=("*",), deny=("*",)).may_prune("read")
    assert replace(DEFAULTS, deny=(" ",)).may_prune("read")


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("5m", 300), ("90s", 90), ("1.5h", 5_400), ("250ms", 0.25), ("1d", 86_400), ("7", 420), (" 5 m ", 300),
     ("soon", 300)],
)  # fmt: skip
def test_lengths_of_time(text: str, seconds: float) -> None:
    assert ttl_s(text) == seconds


def test_a_ruleset_without_more_has_the_settings_of_the_spec() -> None:
    section = load_program({"name": "x", "pruning": {"mode": "cache-ttl"}}).sections["pruning"]
    assert pruning_settings(section) == DEFAULTS
    assert pruning_settings(None) is None
    assert pruning_settings({**section, "mode": "off"}) is None


def test_every_setting_is_read() -> None:
    written = {
        "mode": "cache-ttl", "ttl": 1, "keep_last_assistants": 2, "soft_trim_ratio": 0.1, "hard_clear_ratio": 0.2,
        "min_prunable_tool_chars": 3, "soft_trim": {"max_chars": 4, "head_chars": 5, "tail_chars": 6},
        "hard_clear": {"enabled": False, "placeholder": "gone"}, "tools": {"allow": ["a"], "deny": ["b"]},
    }  # fmt: skip
    section = load_program({"name": "x", "pruning": written}).sections["pruning"]
    assert pruning_settings(section) == PruningSettings(60.0, 2, 0.1, 0.2, 3, 4, 5, 6, False, "gone", ("a",), ("b",))


@given(st.lists(st.integers(1, 60_000), max_size=20), st.integers(1_000, 400_000), st.integers(0, 5))
def test_pruning_shrinks_and_comes_to_rest(sizes: list[int], window: int, keep_last: int) -> None:
    """What one plan has done no other does again; each that does something makes the request smaller."""
    settings = replace(DEFAULTS, keep_last=keep_last)
    entries = talk(*sizes)
    pruned: set[str] = set()
    for _ in range(3 + 2 * len(sizes)):
        found = plan(entries, settings, window=window)
        if found is None:
            return
        assert found.after < found.before == sum(entry.size for entry in entries)
        assert not pruned & {*found.trimmed, *found.cleared}
        pruned |= set(found.cleared)
        entries = [_after(entry, found) for entry in entries]
        assert sum(entry.size for entry in entries) == found.after
    raise AssertionError("pruning does not come to rest")


def _after(entry: Entry, found: PruningPlan) -> Entry:
    for act, slots in (("trim", found.trimmed), ("clear", found.cleared)):
        if entry.slot in slots:
            made = short(entry, "trim" if act == "trim" else "clear")
            assert made is not None
            return replace(entry, size=made.size, characters=made.characters,
                           state="trimmed" if act == "trim" else "spared")  # fmt: skip
    return entry
