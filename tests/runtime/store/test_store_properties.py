"""A session in a file is the same session, whenever it is opened and however little of it was read (P7, P11)."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from history import History, histories
from hypothesis import HealthCheck, given, settings
from stored_driver import PlainDriver, StoredDriver

_ALL = list(HealthCheck)


def check(history: History) -> None:
    """Event by event, a session in a file does what one in memory does."""
    in_memory = PlainDriver(history)
    in_memory.run()
    with tempfile.TemporaryDirectory() as folder:
        in_file = StoredDriver(history, Path(folder) / "sessions.db")
        in_file.run()
        assert list(in_file.file.rows()) == list(in_memory.store.rows())
        in_file.compare()
        in_file.file.close()


@settings(max_examples=30, derandomize=True, database=None, deadline=None, suppress_health_check=_ALL)
@given(histories())
def test_a_session_in_a_file_is_the_session(history: History) -> None:
    check(history)


@pytest.mark.slow
@settings(max_examples=200, derandomize=True, database=None, deadline=None, suppress_health_check=_ALL)
@given(histories())
def test_a_session_in_a_file_is_the_session_at_length(history: History) -> None:
    check(history)
