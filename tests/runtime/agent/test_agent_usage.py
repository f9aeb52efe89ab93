"""Usage of a run: sums for the bill, the last call for the context (spec of the runtime, sections 2 and 8)."""

from __future__ import annotations

import pytest

from dcc.runtime.agent.usage import Reported, Spent
from dcc.runtime.values import Usage


def spent(*calls: tuple[int, int, int, int]) -> Spent:
    """(input, output, cache read, cache write) of each call."""
    total = Spent()
    for call in calls:
        total = total.and_call(Reported(*call))
    return total


THREE = ((100, 200, 50_000, 1_000), (50, 300, 51_000, 500), (20, 100, 51_500, 0))


def test_three_calls_of_a_tool_loop() -> None:
    total = spent(*THREE)
    assert (total.sums.input, total.sums.output, total.sums.cache_read, total.sums.cache_write) == (
        170, 600, 152_500, 1_500,
    )  # fmt: skip
    usage = total.usage()
    assert usage is not None
    assert (usage.input, usage.output, usage.cache_read, usage.cache_write) == (20, 600, 51_500, 0)
    assert usage.total == 52_120
    assert usage.last_call_total == 51_620
    assert total.context == 51_520


def test_a_call_of_zeros_changes_nothing() -> None:
    assert spent(*THREE, (0, 0, 0, 0)) == spent(*THREE)
    assert spent(*THREE).and_call(None) == spent(*THREE)


def test_without_any_report_nothing_is_said() -> None:
    assert Spent().usage() is None
    assert Spent().context is None


def test_issue_17016_the_context_is_not_the_sum_of_what_the_cache_served() -> None:
    total = spent(*[(10, 50, 80_000, 0)] * 3)
    assert total.context == 80_010
    assert total.sums.output == 150


def test_issue_108238_an_aborted_last_call_leaves_the_context_as_it_was() -> None:
    assert spent((5_000, 10, 70_000, 0), (0, 0, 0, 0)).context == 75_000
    assert spent((0, 0, 0, 0)).context is None


def test_issue_53734_what_is_billed_stands_beside_what_was_last() -> None:
    usage = spent((100, 10, 80_000, 5_000), (120, 10, 82_000, 0), (150, 10, 84_000, 0)).usage()
    assert usage is not None
    assert (usage.billed_input, usage.billed_cache_read, usage.billed_cache_write) == (370, 246_000, 5_000)
    assert (usage.input, usage.cache_read, usage.cache_write) == (150, 84_000, 0)


def test_a_reported_total_wins_over_the_parts() -> None:
    total = Spent().and_call(Reported(10, 5, 0, 0, 99))
    usage = total.usage()
    assert usage is not None
    assert usage.last_call_total == 99
    assert total.sums.total == 99


def test_what_a_provider_of_dcc_read_is_a_report() -> None:
    assert Reported.of(Usage(1, 2, 3, 4)).prompt == 8


#: What is told of the three calls above: the seed, openclaw 2026.2.17, dcc, and why they differ.
VERSIONS = [
    ("total", 52_120, 51_620, 52_120, "openclaw puts the last call's own total in its place; dcc tells it beside it"),
    ("last_call_total", None, 51_620, 51_620, "the seed has no such figure"),
    ("input", 20, 20, 20, ""),
    ("output", 600, 600, 600, ""),
    ("cache_read", 51_500, 51_500, 51_500, ""),
    ("cache_write", 0, 0, 0, ""),
    ("billed_input", None, None, 170, "issue 53734: the sums are told nowhere"),
    ("billed_cache_read", None, None, 152_500, "issue 53734"),
    ("billed_cache_write", None, None, 1_500, "issue 53734"),
]


@pytest.mark.parametrize(("figure", "seed", "openclaw", "dcc", "why"), VERSIONS)
def test_what_each_version_tells(figure: str, seed: int | None, openclaw: int | None, dcc: int, why: str) -> None:
    assert getattr(spent(*THREE).usage(), figure) == dcc
    assert bool(why) == (len({seed, openclaw, dcc}) > 1)


@pytest.mark.parametrize(
    ("report", "openclaw", "dcc", "why"),
    [
        (Reported(10, 50, 80_000, 0), 80_010, 80_010, ""),
        (Reported(0, 50, 0, 0, 900), 900, None, "a total without its prompt says nothing of the context"),
        (Reported(0, 0, 0, 0, 0), None, None, ""),
    ],
)
def test_the_context_of_a_session(report: Reported, openclaw: int | None, dcc: int | None, why: str) -> None:
    assert Spent().and_call(report).context == dcc
    assert bool(why) == (openclaw != dcc)
