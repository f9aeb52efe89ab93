"""A session in a file is the same session, whenever it is opened and however little of it was read (P7, P11)."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from history import History, histories
from hypothesis import HealthCheck, given, settings
from stored_driver import StoredDriver

_ALL = list(HealthCheck)


def drive(history: History) -> None:
    with tempfile.TemporaryDirectory() as folder:
        driver = StoredDriver(history, Path(folder) / "sessions.db")
        driver.run()
        driver.compare()
        driver.store.close()


@settings(max_examples=40, derandomize=True, database=None, deadline=None, suppress_health_check=_ALL)
@given(histories())
def test_a_session_opened_from_its_snapshot_is_the_session(history: History) -> None:
    drive(history)


@pytest.mark.slow
@settings(max_examples=1000, derandomize=True, database=None, deadline=None, suppress_health_check=_ALL)
@given(histories())
def test_a_session_opened_from_its_snapshot_is_the_session_at_length(history: History) -> None:
    drive(history)
