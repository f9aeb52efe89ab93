"""Faults to plant in the kernel, one at a time: the properties are worth something if each is caught."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import pytest

from dcc.runtime import calls, opening
from dcc.runtime.kernel import changes, hashing, law, ledger, projection, stage, undo
from dcc.runtime.kernel.events import Event
from dcc.runtime.kernel.ledger import Ledger
from dcc.runtime.kernel.places import Place
from dcc.runtime.kernel.slots import NO_MARKS, Position, Shape, Slot
from dcc.runtime.patches.landing import Landing, land
from dcc.runtime.recorder import Recorder
from dcc.runtime.view.transcript import Prefix, Transcript


class Fault(NamedTuple):
    """A fault: its name, what is broken, and how it is planted."""

    name: str
    about: str
    plant: Callable[[pytest.MonkeyPatch], None]


def _law(patch: pytest.MonkeyPatch, on_stage: Callable[[Slot, int, int], bool]) -> None:
    patch.setattr(stage, "on_stage", on_stage)
    patch.setattr(projection, "on_stage", on_stage)


def _end_too_early(patch: pytest.MonkeyPatch) -> None:
    def over(place: Place, turn: int, ordinal: int) -> bool:
        return turn >= place if place >= 0 else ordinal > -place

    patch.setattr(law, "over", over)


def _hold_ignored(patch: pytest.MonkeyPatch) -> None:
    def without(slot: Slot, turn: int, ordinal: int) -> bool:
        return law.on_stage(slot._replace(marks=replace(slot.marks or NO_MARKS, holds=())), turn, ordinal)

    _law(patch, without)


def _kept_before_birth(patch: pytest.MonkeyPatch) -> None:
    def early(slot: Slot, turn: int, ordinal: int) -> bool:
        return bool(slot.marks and slot.marks.keeps) or law.on_stage(slot, turn, ordinal)

    _law(patch, early)


def _result_left_behind(patch: pytest.MonkeyPatch) -> None:
    def alone(self: stage.Stage, slot: Slot) -> Shape | None:
        on = law.on_stage(slot, self.turn, self.ordinal)
        return law.shape_at(slot, self.turn, self.ordinal) if on else None

    patch.setattr(stage.Stage, "_law", alone)


def _undo_rewrites(patch: pytest.MonkeyPatch) -> None:
    def rewrite(book: Ledger, data: dict[str, Any], last: int) -> Iterator[undo.Change]:
        yield "segment_closed", {**data, "end": data["was"], "was": data["end"]}

    patch.setattr(undo, "_unclose", rewrite)


def _stale_hint(patch: pytest.MonkeyPatch) -> None:
    def opens_only(slot: Slot) -> Iterable[Place]:
        return [-slot.shown_from, *(segment.start for segment in slot.segments)]

    patch.setattr(stage, "turning_places", opens_only)


def _prefix_claimed(patch: pytest.MonkeyPatch) -> None:
    prefix = Transcript.prefix

    def unchanged(self: Transcript) -> Prefix:
        return prefix(self)._replace(changed=None)

    patch.setattr(Transcript, "prefix", unchanged)


def _queue_lost(patch: pytest.MonkeyPatch) -> None:
    def drop(book: Ledger, event: Event) -> None:
        book.queue = [entry for entry in book.queue if entry.number != event.data["patch"]]

    patch.setitem(ledger._APPLY, "queue_dropped", drop)


def _position_wrong(patch: pytest.MonkeyPatch) -> None:
    def patches_last(slot: Slot) -> Position:
        turn, phase, *rest = stage_key(slot)
        return (turn, 6 if phase == 0 else phase, rest[0], rest[1], rest[2])

    stage_key = stage.unit_key
    patch.setattr(stage, "unit_key", patches_last)
    patch.setattr(projection, "unit_key", patches_last)


def _roll_twice(patch: pytest.MonkeyPatch) -> None:
    def twice(*args: Any) -> Landing:
        landing = land(*args)
        rolls = tuple(entry for entry in landing.landing if entry.mode == "roll")
        return landing._replace(landing=landing.landing + rolls)

    patch.setattr(opening, "land", twice)


def _row_missed(patch: pytest.MonkeyPatch) -> None:
    note = hashing.StateHash.note

    def forgetful(self: hashing.StateHash, slot_id: str) -> None:
        if not slot_id.startswith("toolResult"):
            note(self, slot_id)

    patch.setattr(hashing.StateHash, "note", forgetful)


def _due_again(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(changes, "_spared", lambda slot, event: slot.marks)


def _start_not_written(patch: pytest.MonkeyPatch) -> None:
    write = Recorder.write

    def lazily(self: Recorder) -> None:
        if [event.kind for event in self._pending] != ["tool_started"]:
            write(self)

    patch.setattr(Recorder, "write", lazily)


def _ids_shared(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(calls.Calls, "_wire", lambda self, call_id, taken: call_id)


FAULTS = (
    Fault("end off by one", "a turn bound is over in its last turn", _end_too_early),
    Fault("hold ignored", "what a collapse holds stays on stage", _hold_ignored),
    Fault("keep before birth", "a kept slot is in requests from before it was born", _kept_before_birth),
    Fault("result left behind", "a result stays when its call leaves", _result_left_behind),
    Fault("undo rewrites the past", "an end is taken back where it stood", _undo_rewrites),
    Fault("stale hint", "the timeline does not empty what closes", _stale_hint),
    Fault("prefix claimed", "a request that changed is said to go on", _prefix_claimed),
    Fault("queue entry lost", "a patch is gone when call 1 fails", _queue_lost),
    Fault("wrong position", "patches stand behind all of their turn", _position_wrong),
    Fault("roll lands twice", "a roll bears two slots a turn", _roll_twice),
    Fault("row missed", "changes of results do not reach the state hash", _row_missed),
    Fault("due again", "what an undo brings back leaves at the next request", _due_again),
    Fault("start not written", "a tool that started is run again after a crash", _start_not_written),
    Fault("ids shared", "two calls with one id go out as one", _ids_shared),
)
