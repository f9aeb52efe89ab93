"""The window and its reserve. Columns: what seed 004 says, what openclaw 2026.2.17 gave, what dcc gives, and why."""

from __future__ import annotations

import pytest

from dcc.runtime.agent.window import Reserve, Window, is_over, reserve_of, window_of

RESERVES = [
    # (window, configured, floor), seed, openclaw, dcc, reason where they differ
    ((200_000, None, None), 20_000, 20_000, 20_000, ""),
    ((200_000, 30_000, None), 30_000, 30_000, 30_000, ""),
    ((200_000, 8_192, None), 8_192, 20_000, 8_192, "openclaw raises what is written to its floor; dcc has no floor"),
    ((200_000, 8_192, 20_000), 20_000, 20_000, 20_000, ""),
    ((200_000, None, 0), 0, 16_384, 0, "openclaw falls back to the reserve of its library"),
    ((16_000, None, None), 20_000, 20_000, 4_000, "issue 100621: a reserve must leave room in a small window"),
    ((16_384, None, None), 20_000, 20_000, 4_096, "issue 100621"),
    ((32_000, None, None), 20_000, 20_000, 8_000, "issue 100621"),
    ((120_000, None, 70_000), 70_000, 70_000, 60_000, "issue 87102: a prompt of 54,000 must fit"),
]


@pytest.mark.parametrize(("given", "seed", "openclaw", "dcc", "reason"), RESERVES)
def test_the_reserve(
    given: tuple[int, int | None, int | None], seed: int, openclaw: int, dcc: int, reason: str
) -> None:
    window, configured, floor = given
    reserve = reserve_of(window, configured=configured, floor=floor)
    assert reserve.tokens == dcc
    assert bool(reason) == (len({seed, openclaw, dcc}) > 1)
    assert reserve.capped == (max(configured or 0, floor or 0) > window // 2)


def test_a_reserve_that_is_written_too_large_says_that_it_was_capped() -> None:
    assert reserve_of(120_000, floor=70_000) == Reserve(60_000, capped=True)
    assert not is_over(54_000, 120_000, 60_000)


def test_the_limit_itself_is_not_over() -> None:
    assert not is_over(180_000, 200_000, 20_000)
    assert is_over(180_001, 200_000, 20_000)


def test_a_small_window_does_not_compact_from_its_first_token() -> None:
    assert not is_over(1, 16_000, reserve_of(16_000).tokens)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"ruleset": 100_000, "model": 200_000}, Window(100_000, "ruleset")),
        ({"model": 128_000}, Window(128_000, "model")),
        ({}, Window(200_000, "default")),
        ({"model": 128_000.9}, Window(128_000, "model")),
        ({"ruleset": 0, "model": -5}, Window(200_000, "default")),
        ({"ruleset": float("nan"), "model": float("inf")}, Window(200_000, "default")),
        ({"ruleset": True}, Window(200_000, "default")),
        ({"model": 128_000, "agent": 64_000}, Window(64_000, "agent")),
        ({"model": 128_000, "agent": 500_000}, Window(128_000, "model")),
    ],
)
def test_where_the_window_comes_from(given: dict[str, object], expected: Window) -> None:
    assert window_of(**given) == expected


@pytest.mark.parametrize(
    ("tokens", "small", "too_small"),
    [(0, False, False), (15_999, True, True), (16_000, True, False), (31_999, True, False), (32_000, False, False)],
)
def test_the_guard(tokens: int, small: bool, too_small: bool) -> None:
    window = Window(tokens, "model")
    assert (window.is_small, window.is_too_small) == (small, too_small)
