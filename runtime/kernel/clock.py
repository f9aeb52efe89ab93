"""Wall time, the one way in: a session asks its clock and nothing else (kernel.md section 3)."""

from __future__ import annotations

import re
import time
from datetime import UTC, datetime
from typing import Protocol

from ...grammar.errors import DccError

#: Where a manual clock starts: 2025-01-01T00:00:00Z, in seconds since the epoch.
MANUAL_START = 1_735_689_600.0

#: The last instant that can be shown: the end of the year 9999, in seconds since the epoch.
LATEST = 253_402_300_799.0

_DURATION = re.compile(r"(\d{1,9})(ms|s|m|h|d)", re.ASCII)
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


class ClockError(DccError):
    """A duration or an instant that cannot be read, or a clock asked to go back."""


class Clock(Protocol):
    """Something that knows the wall time."""

    def now(self) -> float:
        """Seconds since the epoch."""
        ...


class SystemClock:
    """The clock of the machine."""

    def now(self) -> float:
        """Seconds since the epoch."""
        return time.time()


class ManualClock:
    """A clock that stands still until it is told to move: for scenarios, replays and tests."""

    def __init__(self, start: float = MANUAL_START) -> None:
        self._now = start

    def now(self) -> float:
        """Seconds since the epoch."""
        return self._now

    def advance(self, seconds: float) -> None:
        """Let ``seconds`` pass. Raises ClockError when they are negative."""
        self._move(self._now + seconds)

    def set(self, iso: str) -> None:
        """Go on to an ISO 8601 instant. Raises ClockError when it is unreadable or in the past."""
        self._move(parse_instant(iso))

    def _move(self, to: float) -> None:
        if to > LATEST:
            raise ClockError("bad_instant", "no clock goes beyond the year 9999", help="let less time pass")
        if to < self._now:
            raise ClockError(
                "clock_back",
                f"the clock stands at {show_instant(self._now)} and cannot go back to {show_instant(to)}",
                help="name a later time",
            )
        self._now = to


def parse_duration(text: str) -> float:
    """Seconds in a duration such as ``90s``, ``6m``, ``2h``, ``1d`` or ``250ms``. Raises ClockError."""
    found = _DURATION.fullmatch(text.strip())
    if found is None:
        raise ClockError(
            "bad_duration",
            f"{text!r} is no duration",
            help="write a whole number and a unit: 250ms, 90s, 6m, 2h, 1d",
        )
    return int(found[1]) * _SECONDS[found[2]]


def parse_instant(text: str) -> float:
    """Seconds since the epoch of an ISO 8601 time; without an offset it is UTC. Raises ClockError."""
    try:
        instant = datetime.fromisoformat(text.strip())
        return (instant.astimezone(UTC) if instant.tzinfo else instant.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        raise ClockError(
            "bad_instant",
            f"{text!r} is no ISO 8601 time",
            help="write it like 2025-01-01T12:30:00Z",
        ) from None


def show_instant(seconds: float) -> str:
    """The ISO 8601 form, in UTC, of seconds since the epoch."""
    return datetime.fromtimestamp(seconds, UTC).isoformat().replace("+00:00", "Z")
