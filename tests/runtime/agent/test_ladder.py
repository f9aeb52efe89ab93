"""The overflow ladder: bounded, in order; a rung without gain is no recovery (runtime spec, section 3; issue 13624)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dcc.runtime.agent.ladder import DEFAULT, Ladder, Rung, retry_limit, rungs_of


def climb(
    compact: Callable[[], bool], truncate: Callable[[], bool], rungs: tuple[tuple[Rung, int], ...] = DEFAULT
) -> Counter[str]:
    """A provider that always says the request is too long: model calls, compactions that gained, truncations."""
    counts: Counter[str] = Counter()

    def counted(rung: str, step: Callable[[], bool]) -> Callable[[], bool]:
        def run() -> bool:
            gained = step()
            counts[rung] += gained
            counts[f"{rung} tried"] += 1
            return gained

        return run

    ladder = Ladder(
        rungs, {"compact": counted("compact", compact), "truncate_results": counted("truncate_results", truncate)}
    )
    counts["calls"] = 1
    while ladder.recover() is not None:
        counts["calls"] += 1
        assert counts["calls"] < 1000
    return counts


def once() -> Callable[[], bool]:
    left = [True]
    return lambda: bool(left) and left.pop()


def test_an_overflow_that_never_ends_costs_8_calls_6_compactions_and_1_truncation() -> None:
    counts = climb(lambda: True, once())
    assert (counts["calls"], counts["compact"], counts["truncate_results"]) == (8, 6, 1)


def test_without_an_oversized_result_it_costs_4_calls_and_3_compactions() -> None:
    counts = climb(lambda: True, lambda: False)
    assert (counts["calls"], counts["compact"], counts["truncate_results"]) == (4, 3, 0)


def test_a_compaction_that_fails_goes_on_to_truncation_at_once() -> None:
    counts = climb(lambda: False, once())
    assert (counts["calls"], counts["compact"], counts["truncate_results"]) == (2, 0, 1)


def test_when_nothing_gains_one_call_is_all() -> None:
    assert climb(lambda: False, lambda: False)["calls"] == 1


@pytest.mark.parametrize(
    ("section", "expected"),
    [
        (None, DEFAULT),
        ({"overflow": []}, DEFAULT),
        ({"overflow": [{"do": "truncate_results", "tries": 2}, {"do": "give_up"}]}, (("truncate_results", 2),)),
        ({"overflow": [{"do": "give_up"}, {"do": "compact", "tries": 3}]}, ()),
    ],
)  # fmt: skip
def test_the_rungs_are_those_that_the_ruleset_declares(section: dict[str, object], expected: object) -> None:
    assert rungs_of(section) == expected


@pytest.mark.parametrize(("profiles", "most"), [(0, 32), (1, 32), (2, 40), (3, 48), (17, 160), (100, 160)])
def test_all_tries_of_a_prompt_are_bounded(profiles: int, most: int) -> None:
    assert retry_limit(profiles) == most


@given(st.lists(st.booleans(), max_size=40), st.lists(st.booleans(), max_size=40), st.integers(1, 4), st.integers(1, 3))
def test_whatever_gains_the_ladder_ends(compacts: list[bool], truncates: list[bool], c: int, t: int) -> None:
    compact, truncate = iter(compacts), iter(truncates)
    counts = climb(lambda: next(compact, True), lambda: next(truncate, True), (("compact", c), ("truncate_results", t)))
    assert counts["compact tried"] <= 2 * c
    assert counts["truncate_results tried"] <= t
    assert counts["calls"] <= 1 + 2 * c + t
