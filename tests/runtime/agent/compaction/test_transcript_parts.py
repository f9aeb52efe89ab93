"""Parts of a transcript: the tables of the spec, section 4.2. Those that differ: conformance/agent_context.yaml."""

from __future__ import annotations

from itertools import chain
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dcc.runtime.agent.compaction.parts import (
    MARGIN,
    Shed,
    is_oversized,
    parts_of,
    ratio_of,
    shed,
    split_by_most,
    split_by_share,
    total,
)


class Of(NamedTuple):
    tokens: int


def sized(*tokens: int) -> list[Of]:
    return [Of(n) for n in tokens]


@pytest.mark.parametrize(
    ("tokens", "parts", "lengths"),
    [
        ([100] * 4, 2, [2, 2]),
        ([10, 10, 10, 300], 2, [3, 1]),
        ([300, 10, 10, 10], 2, [1, 3]),
        ([100] * 5, 2, [2, 3]),
        ([100] * 5, 3, [1, 1, 3]),
        ([1000, 1, 1000], 2, [1, 2]),
        ([], 2, []),
        ([5, 5], 1, [2]),
        ([5], 2, [1]),
    ],
)
def test_by_share(tokens: list[int], parts: int, lengths: list[int]) -> None:
    assert [len(part) for part in split_by_share(sized(*tokens), parts)] == lengths


@pytest.mark.parametrize(
    ("tokens", "most", "lengths"),
    [
        ([1000] * 5, 3_000, [2, 2, 1]),
        ([100, 5000, 100], 3_000, [1, 1, 1]),
        ([1250, 1250, 1], 3_000, [2, 1]),
        ([], 3_000, []),
        ([5000], 3_000, [1]),
        ([1, 1], 0, [1, 1]),
    ],
)
def test_by_most(tokens: list[int], most: int, lengths: list[int]) -> None:
    assert [len(part) for part in split_by_most(sized(*tokens), most)] == lengths


@pytest.mark.parametrize(
    ("tokens", "ratio"),
    [(1_000, 0.4), (16_666, 0.4), (16_667, 0.2), (17_000, 0.196), (20_000, 0.16), (20_834, 0.15), (90_000, 0.15)],
)
def test_large_entries_make_parts_smaller(tokens: int, ratio: float) -> None:
    assert ratio_of(sized(tokens, tokens), 200_000) == pytest.approx(ratio, abs=1e-4)


def test_without_entries_the_share_is_the_usual_one() -> None:
    assert ratio_of([], 200_000) == 0.4


@pytest.mark.parametrize(("tokens", "oversized"), [(83_333, False), (83_334, True)])
def test_what_cannot_be_summarised(tokens: int, oversized: bool) -> None:
    assert is_oversized(Of(tokens), 200_000) is oversized


@pytest.mark.parametrize(
    ("wanted", "entries", "parts"),
    [(2, 10, 2), (2.9, 10, 2), (1, 10, 1), (0, 10, 1), (-3, 10, 1), (float("nan"), 10, 1), (float("inf"), 10, 1),
     (5, 3, 3), (2, 0, 1)],
)  # fmt: skip
def test_how_many_parts(wanted: float, entries: int, parts: int) -> None:
    assert parts_of(wanted, entries) == parts


@pytest.mark.parametrize(
    ("tokens", "window", "expected"),
    [
        ([4_000] * 4, 10_000, Shed(3, 2)),
        ([1_000] * 20, 8_000, Shed(17, 3)),
        ([9_000], 4_000, Shed(0, 0)),
        ([1_000], 8_000, Shed(0, 0)),
        ([], 8_000, Shed(0, 0)),
        ([4_000, 10, 10], 2_000, Shed(1, 1)),
    ],
)
def test_what_is_shed_from_the_beginning(tokens: list[int], window: int, expected: Shed) -> None:
    assert shed(sized(*tokens), window) == expected


@given(st.lists(st.integers(0, 5_000), max_size=40), st.integers(1, 9), st.integers(1, 6_000))
def test_nothing_is_lost_doubled_or_out_of_order(tokens: list[int], parts: int, most: int) -> None:
    entries = sized(*tokens)
    for split in (split_by_share(entries, parts), split_by_most(entries, most)):
        assert list(chain.from_iterable(split)) == entries
        assert all(split)
    assert len(split_by_share(entries, parts)) <= parts
    for part in split_by_most(entries, most):
        assert total(part[:-1]) <= most / MARGIN
        assert total(part) <= max(1, most / MARGIN) or part[-1].tokens > most / MARGIN
