"""Faults to plant in retirement and settling, one at a time: each must be caught by the properties."""

from __future__ import annotations

from dataclasses import replace

import pytest
from faults import Fault

from dcc.compiler.program import ElementRow, Program
from dcc.runtime.kernel import retirement
from dcc.runtime.kernel.ledger import Ledger
from dcc.runtime.kernel.slots import Slot
from dcc.runtime.settling import Settling


def _touch_ignored(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Ledger, "last_touch", lambda self, slot: (slot.turn, slot.shown_from - 1))


def _floor_too_low(patch: pytest.MonkeyPatch) -> None:
    row_of = retirement.row_of

    def lower(program: Program, slot: Slot) -> ElementRow:
        row = row_of(program, slot)
        return replace(row, keep_last=max(0, row.keep_last - 1))

    patch.setattr(retirement, "row_of", lower)


def _unread_retired(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(retirement, "was_held", lambda ledger, slot: True)


def _settle_too_early(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Settling, "_now", lambda self: self._recorder.stage.due())


FAULTS = (
    Fault("touch ignored", "a slot is idle although its key was touched", _touch_ignored),
    Fault("floor too low", "keep_last keeps one slot too few", _floor_too_low),
    Fault("unread retired", "a result leaves before a request has held it", _unread_retired),
    Fault("settle too early", "what is due does not wait for the settle", _settle_too_early),
)
