"""Carrying out: the steps of a checked transaction as events, acting from the next request (kernel.md section 3)."""

from __future__ import annotations

from collections.abc import Iterable

from ...compiler.program import SUMMARY as SUMMARY_ELEMENT
from ...compiler.program import Rule
from ..births import Births
from ..kernel.changes import representing
from ..kernel.law import covered
from ..kernel.segments import SegmentError, declared_end
from ..kernel.slots import Slot
from ..recorder import Emit
from .facts import HIDDEN, HOLD, Reader
from .staged import Bear, Hold, Lift, Replace, Represent, Step

#: The rule of a summary: it is on stage until an operation, a compaction or a person takes it off.
_STAYS = Rule()


class Carrying:
    """Emits the events of one transaction, of cause ``op``."""

    def __init__(self, emit: Emit, number: int, reader: Reader, births: Births) -> None:
        self._emit = emit
        self._number = number
        self._reader = reader
        self._births = births
        self._last = reader.recorder.last_request
        self._borne: dict[str, str] = {}

    @property
    def created(self) -> tuple[str, ...]:
        """The slots that were borne, in order."""
        return tuple(self._borne.values())

    def carry_out(self, steps: Iterable[Step]) -> None:
        """Emit the events of steps, in order."""
        for step in steps:
            match step:
                case Hold(_, how):
                    self._hold(self._slot(step.slot), how)
                case Lift():
                    self._lift(self._slot(step.slot))
                case Represent(_, how, note):
                    slot = self._slot(step.slot)
                    recorder = self._reader.recorder
                    # Of a call that a redaction of the same transaction deletes, no argument is kept.
                    if how != "full" and not slot.is_purged:
                        recorder.keep_arguments(slot)
                    digest = recorder.keep_content(note).hex() if note else None
                    self._emit("represented", **representing(slot, how, self._since, digest))
                case Bear(ref, sources, content):
                    earliest = min((self._slot(source) for source in sources), key=lambda slot: slot.position)
                    born = self._births.bear(
                        self._emit, SUMMARY_ELEMENT, content, at=earliest, rule=_STAYS, cause="op",
                        shown_from=self._last + 1, visible_from=self._since, superseded_end=-self._last,
                    )  # fmt: skip
                    self._borne[ref] = born.id
                case Replace(ref, _, content):
                    born = self._births.replace(self._emit, self._slot(step.slot), content)
                    self._borne[ref] = born.id

    @property
    def _since(self) -> int:
        return -(self._last + 1)

    def _slot(self, slot_id: str) -> Slot:
        return self._reader.recorder.ledger.slots[self._borne.get(slot_id, slot_id)]

    def _hold(self, slot: Slot, how: str) -> None:
        self._lift_holds(slot, spared=False)
        name = f"{HOLD}{self._number}{HIDDEN if how == 'hidden' else ''}"
        self._emit("hold_begun", slot=slot.id, name=name, since=self._since)

    def _lift(self, slot: Slot) -> None:
        """Bring a slot back: its holds end, and if its segment is over, it gets one more."""
        self._lift_holds(slot, spared=True)
        slot = self._slot(slot.id)
        turn, ordinal = self._reader.moment
        if covered(slot, turn, ordinal):
            return
        try:
            end = declared_end(slot.rule, slot.turn, turn)
        except SegmentError:
            end = None  # Its rule has run out, so only an operation or a person takes it off again.
        ahead = [start for start, last in slot.segments if start > turn and (last is None or last >= start)]
        if ahead and (end is None or end >= min(ahead)):
            end = min(ahead) - 1
        self._emit("segment_opened", slot=slot.id, start=self._since, end=end, spared=True)

    def _lift_holds(self, slot: Slot, *, spared: bool) -> None:
        extra = {"spared": True} if spared else {}
        for mark in self._reader.op_holds(slot):
            self._emit("hold_lifted", slot=slot.id, name=mark.name, until=self._since, **extra)
