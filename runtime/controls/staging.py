"""Acts on the stage: close, reopen, represent, and end (``/dc-end``)."""

from __future__ import annotations

from dataclasses import astuple
from typing import get_args

from ..errors import SessionError
from ..kernel.changes import representing
from ..kernel.places import over
from ..kernel.segments import SegmentError, declared_end
from ..kernel.slots import Representation, Shape, Slot
from ..patches.rules import close_at, covering
from .base import Control


class Staging(Control):
    """Takes slots off stage, brings them back, and changes how they are rendered."""

    def close(self, slot_id: str) -> bool:
        """Take a slot off stage from the next request on; False when it is off already.

        Raises SessionError: ``unknown_slot``, ``protected`` (system slots, the running turn's user slot).
        """
        slot = self._slot(slot_id)
        self._refuse_protected(slot)
        ledger = self._ledger
        if slot_id not in self._recorder.stage.shown or self._is_kept(slot):
            return False
        with self._recorder.transaction("op") as emit:
            for index, (_, end) in enumerate(slot.segments):
                if end is None or not over(end, ledger.turn, self._last_request + 1):
                    emit("segment_closed", slot=slot_id, index=index, end=-self._last_request, was=end)
        return True

    def reopen(self, slot_id: str) -> bool:
        """Bring a slot back whose segment is over, up to its rule's end, or whose segment is to come, up to that.

        False when it is on stage.

        Raises SessionError: ``unknown_slot``, ``reopen_past_end``, ``off_stage`` (a hold or a cancel, not
        its segment, keeps it off).
        """
        slot = self._slot(slot_id)
        if slot_id in self._recorder.stage.shown:
            return False
        ledger = self._ledger
        turn = ledger.turn if ledger.is_open else ledger.turn + 1
        try:
            end = declared_end(slot.rule, slot.turn, turn)
        except SegmentError as error:
            raise SessionError(error.code, f"{slot_id}: {error.message}", help=error.help) from None
        if covering(slot, turn) is not None:
            raise SessionError(
                "off_stage", f"{slot_id} is inside its segment, but a hold, a cancel or its call keeps it off stage",
                help="undo the transaction that took it off",
            )  # fmt: skip
        ahead = [start for start, last in slot.segments if start > turn and (last is None or last >= start)]
        if ahead and (end is None or end >= min(ahead)):
            end = min(ahead) - 1
        with self._recorder.transaction("reopen") as emit:
            emit("segment_opened", slot=slot_id, start=self._next_request, end=end)
        return True

    def represent(self, slot_id: str, how: Representation) -> bool:
        """Render a slot as ``full``, ``ref`` or ``stub`` from the next request on; False when it is already.

        Raises SessionError: ``bad_representation``, ``unknown_slot``, ``protected``.
        """
        if how not in get_args(Representation):
            raise SessionError("bad_representation", f"{how!r} is no representation", help="full, ref or stub")
        slot = self._slot(slot_id)
        if how != "full":
            self._refuse_protected(slot)
        if slot.shape == Shape(how, slot.shape.since):
            return False
        with self._recorder.transaction("op") as emit:
            if how != "full":
                self._recorder.keep_arguments(slot)
            emit("represented", **representing(slot, how, self._next_request))
        return True

    def end(self, target: str) -> tuple[str, ...]:
        """End an element or a slot from the next turn on, as if its turns were over (``/dc-end``).

        Queued patches of the element are dropped; an undo brings them back, too. Returns the ids of the slots that
        end. Raises SessionError: ``nothing_to_end``, and ``replaced`` or ``purged`` of a slot that is gone.
        """
        ledger = self._ledger
        if target in ledger.slots:
            self._refuse_gone(ledger.slots[target])
        slots = [ledger.slots[target]] if target in ledger.slots else [
            ledger.slots[i] for i in ledger.by_element.get(target, [])
        ]  # fmt: skip
        ending = [(s, at) for s in slots if (at := self._ending_segment(s)) is not None]
        queued = [p for p in ledger.queue if p.element == target]
        if not ending and not queued:
            base = self._program.row(target).of
            raise SessionError(
                "nothing_to_end", f"{target} has nothing on stage and nothing queued",
                help=f"{target} is a refinement: end {base}, or one of its slots" if base is not None
                else "/dc-status lists what is on stage",
            )  # fmt: skip
        with self._recorder.transaction("end") as emit:
            for slot, at in ending:
                for kind, data in close_at(slot, at, ledger.turn):
                    emit(kind, **data)
            for patch in queued:
                emit("queue_dropped", patch=patch.number, entry=list(astuple(patch)))
        return tuple(slot.id for slot, _ in ending)

    def _ending_segment(self, slot: Slot) -> int | None:
        """The segment that /dc-end would end: one that goes on after this turn."""
        at = covering(slot, self._ledger.turn)
        if at is None and slot.segments[-1].start > self._ledger.turn:
            at = len(slot.segments) - 1
        if at is None:
            return None
        end = slot.segments[at].end
        return at if end is None or end > self._ledger.turn else None
