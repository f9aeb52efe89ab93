"""When a call is tried again, and after how long."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from time import monotonic
from typing import TypeVar

from .abort import Abort
from .errors import ProviderError

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Retries:
    """``attempts`` in all; waits double from ``first_wait_s``; ``longest_wait_s`` is the cap of any wait.

    Times are in seconds. A server that asks for more than the cap is not asked again: sooner would be refused,
    and nobody waits that long unasked.
    """

    attempts: int = 4
    first_wait_s: float = 0.5
    longest_wait_s: float = 60.0

    def wait_s(self, failed: int, error: ProviderError, jitter: float) -> float | None:
        """How long to wait after ``failed`` failed attempts; None: not again.

        ``jitter`` is from 0 to 1 and takes away up to half of a wait of our own, so that many clients do not
        come back at the same moment. What the server asks for is waited in full.
        """
        if not error.retryable or failed >= self.attempts:
            return None
        if error.retry_after_s is not None:
            return error.retry_after_s if error.retry_after_s <= self.longest_wait_s else None
        return min(self.longest_wait_s, self.first_wait_s * 2.0 ** (failed - 1)) * (1 - jitter / 2)


def with_retries(
    attempt: Callable[[], _T],
    retries: Retries,
    *,
    abort: Abort,
    deadline: float,
    jitter: Callable[[], float] = random.random,
) -> _T:
    """Call ``attempt`` until it succeeds or may not be tried again. ``deadline``: a time of ``time.monotonic``.

    Raises ProviderError: the last one, or ``aborted``. A wait that would pass the deadline is not begun.
    """
    failed = 0
    while not abort.is_set:
        try:
            return attempt()
        except ProviderError as error:
            failed += 1
            wait = retries.wait_s(failed, error, jitter())
            if wait is None or monotonic() + wait >= deadline:
                raise
        abort.wait(wait)
    raise ProviderError("aborted", "the call was aborted")


def retry_after_s(headers: Mapping[str, str], now: datetime) -> float | None:
    """What ``Retry-After`` asks for (RFC 9110, 10.2.3): seconds, or an HTTP date; None when it asks nothing."""
    value = headers.get("retry-after", "").strip()
    if not value:
        return None
    if value.isascii() and value.replace(".", "", 1).isdigit():
        return float(value)
    try:
        date = parsedate_to_datetime(value)
    except ValueError:
        return None
    if date.tzinfo is None:
        date = date.replace(tzinfo=UTC)
    return max(0.0, (date - now).total_seconds())
