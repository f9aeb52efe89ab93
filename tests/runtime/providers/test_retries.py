"""When a call is tried again, and after how long."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from dcc.runtime.providers.abort import Abort
from dcc.runtime.providers.errors import ProviderError
from dcc.runtime.providers.retry import Retries, retry_after_s, with_retries

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
RETRIES = Retries(attempts=5, first_wait_s=1.0, longest_wait_s=6.0)
NEVER = float("inf")


def passing(retry_after_s: float | None = None) -> ProviderError:
    return ProviderError("rate_limit", "later", retryable=True, retry_after_s=retry_after_s)


def test_waits_double_up_to_the_cap() -> None:
    assert [RETRIES.wait_s(n, passing(), 0.0) for n in (1, 2, 3, 4, 5)] == [1.0, 2.0, 4.0, 6.0, None]


def test_jitter_takes_up_to_half_away() -> None:
    assert [RETRIES.wait_s(2, passing(), jitter) for jitter in (0.0, 0.5, 1.0)] == [2.0, 1.5, 1.0]


def test_what_the_server_asks_for_is_waited_in_full() -> None:
    assert [RETRIES.wait_s(1, passing(asked), 1.0) for asked in (0.0, 5.0, 6.0, 6.5)] == [0.0, 5.0, 6.0, None]


def test_what_does_not_pass_is_not_tried_again() -> None:
    assert RETRIES.wait_s(1, ProviderError("auth", "no"), 0.0) is None


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("7", 7.0),
        (" 0.5 ", 0.5),
        ("Fri, 02 Jan 2026 03:04:35 GMT", 30.0),
        ("Fri, 02 Jan 2026 04:04:35 +0100", 30.0),
        ("Fri, 02 Jan 2026 03:04:35 -0000", 30.0),
        ("Fri, 02 Jan 2026 03:00:00 GMT", 0.0),
        ("soon", None),
        ("-5", None),
        ("٣", None),
        ("", None),
    ],
)
def test_retry_after(value: str, seconds: float | None) -> None:
    assert retry_after_s({"retry-after": value}, NOW) == seconds


def test_no_retry_after() -> None:
    assert retry_after_s({}, NOW) is None


def test_a_wait_past_the_deadline_is_not_begun() -> None:
    calls: list[int] = []

    def attempt() -> None:
        calls.append(1)
        raise passing(5.0)

    with pytest.raises(ProviderError, match="later"):
        with_retries(attempt, RETRIES, abort=Abort(), deadline=0.0)
    assert calls == [1]


def test_an_abort_ends_the_waiting() -> None:
    abort = Abort()

    def attempt() -> None:
        abort.set()
        raise passing(6.0)

    with pytest.raises(ProviderError, match="aborted"):
        with_retries(attempt, RETRIES, abort=abort, deadline=NEVER)
