"""Limits in tokens and bands (kernel.md section 4, spec/cpat.md section 7)."""

from __future__ import annotations

import math
from typing import Any

import pytest

from dcc.compiler.load import load_program
from dcc.runtime.governance.budget.limits import Limits, limits_of
from dcc.runtime.session import GovernanceFlags, SessionError


def limits(section: dict[str, Any] | None, **known: int | None) -> Limits | None:
    ruleset: dict[str, Any] = {"name": "x", "life_cycle": {"user": ["born", None]}}
    return limits_of(load_program(ruleset | ({"governance": section} if section is not None else {})), **known)


def test_shares_are_of_the_window_and_bands_of_what_may_be_used() -> None:
    assert limits({"window": 100_000}) == Limits(100_000, 0, 85_000, 59_500, 68_000, 80_750)


@pytest.mark.parametrize(
    ("section", "known", "top"),
    [
        pytest.param({"window": 100_000, "reserve": 20_000}, {}, 80_000, id="the reserve leaves less than 85 %"),
        pytest.param({"window": 100_000, "reserve": 10_000}, {}, 85_000, id="85 % is less than the reserve leaves"),
        pytest.param({"window": 100_000, "max_context": 0.5}, {}, 50_000, id="a share of the window"),
        pytest.param({"window": 100_000, "max_context": 30_000}, {}, 30_000, id="tokens"),
        pytest.param({"max_context": 30_000}, {}, 30_000, id="tokens need no window"),
        pytest.param({"window": 64_000}, {"max_context": 90_000}, 64_000, id="never more than the window"),
        pytest.param({}, {"window": 100_000}, 85_000, id="the window that the host knows"),
        pytest.param({"window": 50_000}, {"window": 100_000}, 42_500, id="the ruleset's window beats the host's"),
        pytest.param({"max_context": 0.5, "window": 9_000}, {"max_context": 7_000}, 7_000, id="a flag beats all"),
        pytest.param(None, {"max_context": 7_000}, 7_000, id="a flag needs no section"),
        pytest.param(None, {"window": 100_000}, 85_000, id="a window that the host knows needs none either"),
        pytest.param(None, {"window": 16_000, "reserve": 4_000}, 12_000, id="and its reserve is kept free"),
    ],
)
def test_what_may_be_used(section: dict[str, Any] | None, known: dict[str, int], top: int) -> None:
    found = limits(section, **known)
    assert found is not None
    assert found.max_context == top


@pytest.mark.parametrize(
    ("section", "known"),
    [
        pytest.param(None, {}, id="nobody says anything"),
        pytest.param(None, {"reserve": 4_000}, id="a reserve of nothing"),
        pytest.param({}, {}, id="nobody knows a window"),
        pytest.param({"max_context": 0.85}, {}, id="a share of nothing"),
    ],
)
def test_without_a_number_there_are_no_bands(section: dict[str, Any] | None, known: dict[str, int]) -> None:
    assert limits(section, **known) is None


@pytest.mark.parametrize(
    ("flag", "expected"),
    [
        *(({name: value}, "a whole number of tokens, 1 or more")
          for name in ("max_context", "window") for value in (0, -1, math.nan, math.inf, 0.85, True, "9000")),
        ({"reserve": -1}, "a whole number of tokens, 0 or more"),
        ({"reserve": None}, "a whole number of tokens, 0 or more"),
        ({"allow": "redact"}, "a set of names of gates"),
        ({"allow": ["redact"]}, "a set of names of gates"),
    ],
    ids=str,
)  # fmt: skip
def test_a_flag_that_is_none_is_refused_where_it_is_made(flag: dict[str, Any], expected: str) -> None:
    with pytest.raises(SessionError) as error:
        GovernanceFlags(**flag)
    assert error.value.code == "bad_flags"
    assert next(iter(flag)) in error.value.message
    assert error.value.message.endswith(f"expected {expected}")
    assert error.value.help


def test_flags_that_say_nothing_or_the_least_are_flags() -> None:
    GovernanceFlags()
    GovernanceFlags(max_context=1, window=1, reserve=0, allow=frozenset())


@pytest.mark.parametrize(
    ("used", "band"),
    [(6_999, "ok"), (7_000, "soft"), (7_999, "soft"), (8_000, "must_act"), (9_499, "must_act"), (9_500, "critical")],
)
def test_a_limit_belongs_to_the_band_above_it(used: int, band: str) -> None:
    found = limits({"max_context": 10_000})
    assert found is not None
    assert found.band(used) == band


def test_a_flag_below_the_bands_in_tokens_brings_them_down() -> None:
    bands = {"soft": 5_000, "must_act": 7_000, "critical": 9_000}
    assert limits({"bands": bands}, max_context=6_000) == Limits(None, 0, 6_000, 5_000, 6_000, 6_000)


@pytest.mark.parametrize(
    ("section", "host", "expected"),
    [
        ({"window": 120_000, "reserve": 70_000}, 0, 60_000),
        ({"window": 120_000, "reserve": 0}, 20_000, 0),
        ({"window": 120_000}, 20_000, 20_000),
        ({"window": 16_000}, 20_000, 8_000),
    ],
)
def test_at_most_half_of_the_window_is_kept_free(section: dict[str, int], host: int, expected: int) -> None:
    found = limits(section, reserve=host)
    assert found is not None
    assert found.reserve == expected
    assert found.max_context <= section["window"] - expected
