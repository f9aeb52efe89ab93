"""The measurements of the budget: what calibration is held to, and what an agent and a ruleset save."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def bench() -> Iterator[ModuleType]:
    """The measurements, which are no part of the package."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT))
        import bench.agents
        import bench.calibration
        import bench.truth

        yield bench
    for name in [name for name in sys.modules if name.partition(".")[0] == "bench"]:
        del sys.modules[name]


def test_a_ruleset_saves_nearly_what_an_agent_saves_that_looks_after_its_context(bench: ModuleType) -> None:
    found = bench.agents.ways()
    assert [way.name for way in found] == ["threshold", "agent", "research", "budget"]
    figures = bench.agents.figures(found)
    assert set(figures) == set(bench.agents.BARS)
    assert all(value <= bench.agents.BARS[name] for name, value in figures.items())
    assert len(list(bench.agents.table(found))) == 5


def test_frames_and_densities_are_found_by_least_squares(bench: ModuleType) -> None:
    scale = bench.truth._fit([(1, 100, 170), (2, 100, 230), (1, 300, 390), (3, 50, 235)])
    assert scale.frame == pytest.approx(60)
    assert scale.density == pytest.approx(1.1)
    assert scale.of(100, 2) == pytest.approx(230)


def test_the_next_prompt_is_known_within_a_few_percent(bench: ModuleType) -> None:
    paths = bench.calibration.sessions()
    if not paths:
        pytest.skip("no recorded sessions beside the checkout")
    rows = [row for path in paths for row in bench.calibration.rows_of(path)]
    for row in rows:
        median, decile = bench.calibration._spread(row.calibrated)
        assert median <= bench.calibration.BARS["calibration_median_percent"], row[:2]
        assert decile <= bench.calibration.BARS["calibration_p90_percent"], row[:2]
    for path in paths:
        assert bench.calibration._spread(bench.truth.views_of(path, ()).unexplained)[0] < 1
