"""What every control shares: the recorder it writes through, and how it finds slots."""

from __future__ import annotations

from collections.abc import Iterator

from ...compiler.program import Program
from ..births import Births
from ..errors import SessionError
from ..kernel.ledger import Ledger
from ..kernel.slots import Slot
from ..recorder import Recorder


class Control:
    """An act on slots or rules from outside the model's turn: one transaction, checked before it begins."""

    def __init__(self, recorder: Recorder, births: Births, program: Program) -> None:
        self._recorder = recorder
        self._births = births
        self._program = program

    @property
    def _ledger(self) -> Ledger:
        return self._recorder.ledger

    @property
    def _last_request(self) -> int:
        """The ordinal of the last request that went out: what it holds is not changed any more."""
        return self._recorder.last_request

    @property
    def _next_request(self) -> int:
        """The place from which a control acts."""
        return -(self._last_request + 1)

    def _slot(self, slot_id: str) -> Slot:
        slot = self._ledger.slots.get(slot_id)
        if slot is None:
            near = self._ledger.by_element.get(slot_id.partition("@")[0], [])[-3:]
            raise SessionError(
                "unknown_slot", f"no slot {slot_id}",
                help=f"newest of that element: {', '.join(near)}" if near else "/dc-status lists the slots",
            )  # fmt: skip
        if slot.is_undone:
            raise SessionError("unknown_slot", f"{slot_id} is off stage for good: an undo took its birth back")
        self._refuse_gone(slot)
        return slot

    def _refuse_gone(self, slot: Slot) -> None:
        """Nothing is done to a slot that another has replaced, or whose content was deleted."""
        if slot.is_purged:
            raise SessionError(
                "purged", f"{slot.id} was purged: a redaction deleted its content, and it is off stage for good"
            )
        successor = self._ledger.versions.successor(slot)
        if successor is not None:
            raise SessionError(
                "replaced", f"{slot.id} was replaced by {successor}", help=f"name {successor}, or undo what replaced it"
            )

    def _chain(self, slot: Slot) -> Iterator[Slot]:
        """The slot with the other half of its chain, unless that was purged."""
        yield slot
        halves = (self._ledger.result_of.get(slot.id), slot.link.answers if slot.link is not None else None)
        for half in (self._ledger.slots[slot_id] for slot_id in halves if slot_id is not None):
            if not half.is_purged:
                yield half

    def _is_kept(self, slot: Slot) -> bool:
        """Whether a keep is in force, or will be from the next request on."""
        return slot.marks is not None and any(mark.until is None for mark in slot.marks.keeps)

    def _refuse_protected(self, slot: Slot) -> None:
        running = self._ledger.is_open and slot.element == "user" and slot.turn == self._ledger.turn
        if self._program.base_of(slot.element) == "system" or running:
            raise SessionError(
                "protected", f"{slot.id} stays on stage, full: no reduction touches it",
                help="name another slot; system slots and the message that is being answered always stay",
            )  # fmt: skip
