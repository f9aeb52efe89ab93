"""Faults to plant in what operations do to the ledger, one at a time: each must be caught by the properties."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from faults import Fault

from dcc.runtime import births
from dcc.runtime.kernel import changes, law, projection, stage
from dcc.runtime.kernel.events import Event
from dcc.runtime.kernel.slots import NO_MARKS, Shape, Slot
from dcc.runtime.kernel.versions import Versions
from dcc.runtime.recorder import Recorder


def _newest_always(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Versions, "at", lambda self, slot, turn, ordinal: self.current(slot))


def _note_stays(patch: pytest.MonkeyPatch) -> None:
    represented = changes.CHANGES["represented"]

    def sticky(slot: Slot, event: Event) -> Slot:
        changed = represented(slot, event)
        marks = changed.marks or NO_MARKS
        *older, last = marks.shapes
        shape = Shape(last.how, last.since, last.note or slot.shape.note, last.preview)
        return changed._replace(marks=replace(marks, shapes=(*older, shape)))

    patch.setitem(changes.CHANGES, "represented", sticky)


def _purged_on_stage(patch: pytest.MonkeyPatch) -> None:
    def without(slot: Slot, turn: int, ordinal: int) -> bool:
        return law.on_stage(slot._replace(marks=replace(slot.marks or NO_MARKS, purged=None)), turn, ordinal)

    patch.setattr(stage, "on_stage", without)
    patch.setattr(projection, "on_stage", without)


def _summary_behind(patch: pytest.MonkeyPatch) -> None:
    bear = births.bear

    def late(ledger: Any, *args: Any, **named: Any) -> Any:
        if args[0] == "summary":
            named["turn"] = ledger.turn
        return bear(ledger, *args, **named)

    patch.setattr(births, "bear", late)


def _purge_not_passed_on(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Recorder, "_forget", lambda self, digests: None)


FAULTS = (
    Fault("newest always", "past requests have the newest version of a result", _newest_always),
    Fault("note stays", "a note is there although an undo took it back", _note_stays),
    Fault("purged on stage", "a slot whose content was deleted is on stage", _purged_on_stage),
    Fault("summary behind", "a summary stands behind the open turn", _summary_behind),
    Fault("purge not passed on", "the store is not told what to delete", _purge_not_passed_on),
)
