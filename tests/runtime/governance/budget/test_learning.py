"""What usage teaches of the length of the next prompt (spec/cpat.md section 6)."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dcc.runtime.governance.budget.calibration import CHAIN, Calibration
from dcc.runtime.providers.usage import is_exact


def taught(samples: Iterable[tuple[int, int]], **known: int) -> Calibration:
    calibration = Calibration()
    for raw, prompt in samples:
        calibration = calibration.observed(raw, prompt, **known)
    return calibration


def test_what_is_learned_is_an_overhead_and_no_ratio() -> None:
    known = taught([(1_037, 13_037)])
    assert known.estimate(1_037) == 13_037
    assert known.estimate(200) == 12_200


def test_a_new_sample_moves_the_overhead_by_three_tenths() -> None:
    known = taught([(1_000, 3_000), (1_000, 4_000)])
    assert known.estimate(1_000) == 3_300
    assert known.residual == 1_000


def test_the_overhead_is_never_negative_and_never_half_the_window() -> None:
    assert taught([(5_000, 1_000)]).estimate(100) == 100
    assert taught([(1_000, 90_000)], window=100_000).estimate(1_000) == 51_000


def test_views_of_different_sizes_show_a_slope() -> None:
    known = taught((raw, 2_000 + 3 * raw // 2) for raw in range(1_000, 9_000, 1_000))
    assert known.slope == pytest.approx(1.5)
    assert known.estimate(20_000) == pytest.approx(32_000, rel=0.01)


def test_views_of_one_size_show_none() -> None:
    assert taught((raw, 2_000 + 2 * raw) for raw in range(1_000, 1_280, 40)).slope == 1.0


@pytest.mark.parametrize(("factor", "slope"), [(0.1, 0.7), (9.0, 3.0)])
def test_slopes_out_of_range_are_not_believed(factor: float, slope: float) -> None:
    assert taught((raw, round(factor * raw)) for raw in range(1_000, 9_000, 1_000)).slope == slope


def test_a_tool_call_costs_more_than_its_words() -> None:
    assert Calibration().estimate(1_000, 10) == 1_000 + 10 * CHAIN


def test_another_model_begins_anew() -> None:
    known = taught([(1_000, 9_000)])
    other = known.observed(1_000, 2_000, fingerprint="another")
    assert other == Calibration().observed(1_000, 2_000, fingerprint="another")
    assert other.samples == 1
    assert other.estimate(1_000) == 2_000


def test_a_report_of_no_tokens_teaches_nothing() -> None:
    known = taught([(1_000, 9_000)])
    assert known.observed(1_000, 0) == known


@pytest.mark.parametrize(
    "facts",
    [{"stop_reason": "aborted"}, {"stop_reason": "error"}, {"calls": 12}, {"attempts": 2}, {"edited": True}],
    ids=str,
)
def test_reports_of_something_else_do_not_teach(facts: dict[str, Any]) -> None:
    assert is_exact()
    assert not is_exact(**facts)


@given(st.lists(st.tuples(st.integers(1, 10**6), st.integers(0, 10**6), st.integers(0, 100)), max_size=30))
def test_it_comes_back_from_json_as_it_was(samples: list[tuple[int, int, int]]) -> None:
    known = Calibration()
    for raw, prompt, chains in samples:
        known = known.observed(raw, prompt, chains=chains, window=200_000)
        assert known.estimate(raw, chains) >= 0
    assert Calibration.from_json(json.loads(json.dumps(known.to_json()))) == known


@pytest.mark.parametrize("data", [None, {}, {"slope": "1"}, {"overhead": None, "samples": True}, {"low": float("nan")}])
def test_damaged_data_is_a_new_calibration(data: dict[str, object] | None) -> None:
    assert Calibration.from_json(data) == Calibration()
