"""Entries: slots that no request asked for, pins among them (``/pin``, ``/cancelpin``)."""

from __future__ import annotations

from ..accepting import accepted_content, accepted_element, accepted_text
from ..errors import SessionError
from ..kernel.content import Content
from ..kernel.slots import AFTER_RESULTS, BETWEEN, CALL
from .base import Control


class Entries(Control):
    """Bears slots between turns, and cancels pins."""

    def pin(self, text: str) -> str:
        """Stick a note to the ledger after the last turn (``/pin``); returns its slot id.

        Raises SessionError: ``empty_content``, ``bad_content``, ``pin_too_early`` (no turn yet).
        """
        if not accepted_text(text, "a pin").strip():
            raise SessionError("empty_content", "a pin needs a text", help="/pin text")
        if self._ledger.turn == 0:
            raise SessionError("pin_too_early", "there is no turn to pin to yet", help="pin after the first message")
        return self.add_entry(f"pin_user_p{self._ledger.last_pin + 1:02d}", text.strip())

    def cancel_pin(self, pin: str) -> str:
        """Cancel a pin (``p01``, or its element) for good from the next request on; returns its slot id.

        Raises SessionError: ``unknown_pin``, ``pin_cancelled``.
        """
        ledger = self._ledger
        elements = (pin, f"pin_user_{pin}", f"pin_model_{pin}")
        element = next((e for e in elements if e.startswith("pin_") and e in ledger.by_element), None)
        if element is None:
            known = ", ".join(sorted(e for e in ledger.by_element if e.startswith("pin_"))) or "none"
            raise SessionError("unknown_pin", f"no pin {pin}", help=f"pins: {known}")
        slot = ledger.slots[ledger.by_element[element][-1]]
        if slot.marks is not None and any(m.until is None for m in slot.marks.cancels):
            raise SessionError(
                "pin_cancelled", f"{element} is cancelled already", help="/cpat undo takes a cancel back"
            )
        with self._recorder.transaction("cancel") as emit:
            emit("cancelled", slot=slot.id, since=self._next_request)
        return slot.id

    def add_entry(self, element: str, content: Content) -> str:
        """Bear a slot that no request asked for: between turns, or in an open one behind the calls so far.

        Raises SessionError: ``bad_element``, ``bad_content``.
        """
        accepted_element(element)
        content = accepted_content(content, "an entry")
        ledger = self._ledger
        last = self._last_request
        mid_turn = ledger.is_open
        with self._recorder.transaction("entry") as emit:
            slot = self._births.bear(
                emit, element, content,
                turn=ledger.turn,
                phase=CALL if mid_turn else BETWEEN,
                call=ledger.call + last - ledger.ordinal if mid_turn else 0,
                seq=AFTER_RESULTS if mid_turn else 0,
                shown_from=last + 1,
                superseded_end=-last,
            )  # fmt: skip
        return slot.id
