"""Wall time enters through one door."""

import pytest

from dcc.runtime.kernel.clock import ClockError, ManualClock, parse_duration, parse_instant, show_instant


def test_a_manual_clock_moves_only_when_told() -> None:
    clock = ManualClock()
    start = clock.now()
    assert clock.now() == start
    clock.advance(90)
    assert clock.now() == start + 90
    clock.set("2030-01-01T00:00:00Z")
    assert show_instant(clock.now()) == "2030-01-01T00:00:00Z"


def test_a_clock_never_goes_back() -> None:
    clock = ManualClock()
    with pytest.raises(ClockError, match="cannot go back"):
        clock.set("1999-01-01")


def test_a_clock_stays_where_time_can_be_shown() -> None:
    clock = ManualClock()
    clock.set("9999-12-31T23:59:59Z")
    assert show_instant(clock.now()) == "9999-12-31T23:59:59Z"
    with pytest.raises(ClockError, match="9999") as caught:
        clock.advance(parse_duration("999999999d"))
    assert caught.value.help is not None


@pytest.mark.parametrize(
    "text", ["", "yesterday", "2025-13-01", "0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59"]
)
def test_what_is_no_instant(text: str) -> None:
    with pytest.raises(ClockError) as caught:
        parse_instant(text)
    assert caught.value.help is not None


@pytest.mark.parametrize(
    ("text", "seconds"), [("250ms", 0.25), ("90s", 90), ("6m", 360), ("2h", 7200), (" 1d ", 86400)]
)
def test_durations(text: str, seconds: float) -> None:
    assert parse_duration(text) == seconds


@pytest.mark.parametrize("text", ["", "6", "m", "-6m", "6 m", "1.5h", "6M"])
def test_what_is_no_duration(text: str) -> None:
    with pytest.raises(ClockError) as caught:
        parse_duration(text)
    assert caught.value.help is not None


def test_an_instant_without_an_offset_is_utc() -> None:
    assert parse_instant("2025-01-01T00:00:00") == parse_instant("2025-01-01T01:00:00+01:00")
