"""A fault planted in what operations do is caught by the properties, within a few hundred histories."""

from __future__ import annotations

import pytest
from faults import Fault
from ops_driver import OpsDriver
from ops_faults import FAULTS
from ops_history import sample
from retirement_history import RetirementHistory


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_fault_is_caught(fault: Fault, monkeypatch: pytest.MonkeyPatch) -> None:
    fault.plant(monkeypatch)
    caught = any(_breaks(history) for history in sample())
    assert caught, f"{fault.about}, and {len(sample())} histories do not show it"


def _breaks(history: RetirementHistory) -> bool:
    """Whether the history does not come through: an invariant is broken, or the kernel falls over itself."""
    try:
        OpsDriver(history).run()
    except Exception:
        return True
    return False
