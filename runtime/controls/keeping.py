"""Keeps: slots that stay on stage whatever their rule says (``/dc-keep``, ``/dc-unkeep``)."""

from __future__ import annotations

from ..errors import SessionError
from .base import Control


class Keeping(Control):
    """Keeps slots, with their chains, and gives them back to the law."""

    def keep(self, slot_id: str | None) -> tuple[str, ...]:
        """Keep a slot (None: the newest on stage) on stage from the next request on, with its chain.

        Returns the ids kept. Raises SessionError: ``unknown_slot``, ``nothing_to_keep``, ``already_kept``.
        """
        if slot_id is None:
            shown = self._recorder.stage.shown
            if not shown:
                raise SessionError("nothing_to_keep", "no slot is on stage yet", help="keep after the first message")
            slot_id = max(shown, key=lambda i: self._ledger.slots[i].number)
        chain = [s for s in self._chain(self._slot(slot_id)) if not self._is_kept(s)]
        if not chain:
            raise SessionError("already_kept", f"{slot_id} is kept already", help=f"/dc-unkeep {slot_id} ends that")
        with self._recorder.transaction("keep") as emit:
            for slot in chain:
                emit("kept", slot=slot.id, since=self._next_request)
        return tuple(slot.id for slot in chain)

    def is_kept(self, slot_id: str) -> bool:
        """Whether a keep has the slot on stage, now or from the next request on. Raises ``unknown_slot``."""
        return self._is_kept(self._slot(slot_id))

    def unkeep(self, slot_id: str) -> tuple[str, ...]:
        """Give a kept slot (``all``: every one) back to the law. Raises ``unknown_slot``, ``not_kept``."""
        if slot_id == "all":
            stage = self._recorder.stage
            near = self._ledger.slots.at_hand(stage.turn, stage.ordinal)
            slots = [s for s in near if self._is_kept(s) and not s.is_purged]
        else:
            slots = [s for s in self._chain(self._slot(slot_id)) if self._is_kept(s)]
        if not slots:
            raise SessionError(
                "not_kept", "no slot is kept" if slot_id == "all" else f"{slot_id} is not kept",
                help="/dc-keep slot keeps one",
            )  # fmt: skip
        with self._recorder.transaction("keep") as emit:
            for slot in slots:
                emit("unkept", slot=slot.id, until=self._next_request)
        return tuple(slot.id for slot in slots)
