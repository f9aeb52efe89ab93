"""Operations hold the invariants on random histories (kernel.md sections 2, 3 and 6; spec/cpat.md section 3)."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings
from ops_driver import OpsDriver
from ops_history import histories, sample
from retirement_history import RetirementHistory

#: Kinds of events that must occur, with the least share of the histories.
KINDS = ("hold_begun", "hold_lifted", "represented", "purged", "governed", "calibrated", "operated", "undone")
SHARE = 0.05

_ALL = list(HealthCheck)


@settings(max_examples=100, derandomize=True, database=None, deadline=None, suppress_health_check=_ALL)
@given(histories())
def test_operations(history: RetirementHistory) -> None:
    OpsDriver(history).run()


@pytest.mark.slow
@settings(max_examples=800, derandomize=True, database=None, deadline=None, suppress_health_check=_ALL)
@given(histories())
def test_operations_at_length(history: RetirementHistory) -> None:
    OpsDriver(history).run()


def test_histories_operate() -> None:
    """``pytest -s`` prints the shares."""
    drivers = [OpsDriver(history).run() for history in sample()[:80]]
    found = Counter(kind for driver in drivers for kind in driver.kinds())
    pieces = [driver.model.pieces.values() for driver in drivers]
    shares = {kind: found[kind] / len(drivers) for kind in KINDS}
    shares |= {
        "note": sum(any(p.note for p in many) for many in pieces) / len(drivers),
        "preview": sum(any(p.preview for p in many) for many in pieces) / len(drivers),
        "summary": sum(any(p.element == "summary" for p in many) for many in pieces) / len(drivers),
        "replaced": sum(any(p.replaces for p in many) for many in pieces) / len(drivers),
        "taken back": sum(any(p.undone for p in many) for many in pieces) / len(drivers),
    }
    print(*(f"{kind:18} {share:6.1%}" for kind, share in shares.items()), sep="\n")
    assert [kind for kind, share in shares.items() if share < SHARE] == []
