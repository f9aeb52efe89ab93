"""Retirement and settling hold the invariants on random histories (language.md section 2; kernel.md section 6)."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings
from retirement_driver import RetirementDriver
from retirement_history import RetirementHistory, histories, sample

#: Kinds of events that must occur, with the least share of the histories.
KINDS = ("represented", "segment_closed", "kept", "rule_changed", "undone", "break", "settle")
SHARE = 0.05

_ALL = list(HealthCheck)


@settings(max_examples=100, derandomize=True, database=None, deadline=None, suppress_health_check=_ALL)
@given(histories())
def test_retirement(history: RetirementHistory) -> None:
    RetirementDriver(history).run()


@pytest.mark.slow
@settings(max_examples=800, derandomize=True, database=None, deadline=None, suppress_health_check=_ALL)
@given(histories())
def test_retirement_at_length(history: RetirementHistory) -> None:
    RetirementDriver(history).run()


def test_histories_retire_and_settle() -> None:
    """``pytest -s`` prints the shares."""
    drivers = [RetirementDriver(history).run() for history in sample()[:80]]
    found = Counter(kind for driver in drivers for kind in driver.kinds() | driver.causes())
    shares = {kind: found[kind] / len(drivers) for kind in KINDS}
    print(*(f"{kind:18} {share:6.1%}" for kind, share in shares.items()), sep="\n")
    assert [kind for kind, share in shares.items() if share < SHARE] == []
