"""Settling: carrying out what is due, in batches that a prompt cache can bear (language.md section 2, settle)."""

from __future__ import annotations

from collections.abc import Callable

from ..compiler.program import Program
from .kernel.changes import representing
from .kernel.content import Content, decode
from .kernel.places import begun, over
from .kernel.reduction import reduced_call, reduces
from .kernel.retirement import row_of
from .kernel.slots import Representation, Slot
from .kernel.stage import unit_key
from .recorder import Emit, Recorder
from .requests import Requests


class Settling:
    """Decides when due slots are carried out, and does it."""

    def __init__(self, recorder: Recorder, program: Program, requests: Requests) -> None:
        self._recorder = recorder
        self._program = program
        self._requests = requests
        #: Whether the context has reached the must_act band (told by the planner, where limits are known).
        self.must_act: Callable[[], bool] = _never

    def settle(self) -> None:
        """Before a request: carry out all that is due, if it is time, as one transaction."""
        slots = self._now()
        if not slots:
            return
        with self._recorder.transaction("settle") as emit:
            for slot in slots:
                self._retire(emit, slot)

    def leaving(self) -> frozenset[str]:
        """The slots that the next settle would take off stage, if it came with the next request."""
        gone: set[str] = set()
        for slot in self._now():
            row = row_of(self._program, slot)
            if row.retire == "drop" and not self._is_answered(slot):
                gone.add(slot.id)
                if row.of == "chain" and slot.link is not None and slot.link.answers is not None:
                    gone.add(slot.link.answers)
        return frozenset(gone)

    def _now(self) -> list[Slot]:
        """All due slots when it is time for them, else none.

        It is time at once without a settle section; else (a) ``every`` calls after the last settle, if they
        hold ``min_tokens``, or (b) when the request breaks at or before the first of them anyway, or (c) when the
        context has reached the must_act band.
        """
        due = [
            slot for slot in self._recorder.stage.due()
            if not self._is_answered(slot) or row_of(self._program, slot).retire == "drop"
        ]  # fmt: skip
        settle = self._program.settle
        if not due or settle is None:
            return due
        ledger = self._recorder.ledger
        calls = ledger.ordinal - ledger.settled
        if calls >= settle.every and sum(slot.tokens for slot in due) >= settle.min_tokens:
            return due
        broken = self._requests.break_key()
        if broken is not None and broken <= unit_key(due[0]):
            return due
        return due if self.must_act() else []

    def _retire(self, emit: Emit, slot: Slot) -> None:
        row = row_of(self._program, slot)
        call = self._call_of(slot) if row.of == "chain" else None
        if row.retire == "drop":
            for one in (slot, call):
                if one is not None:
                    self._close(emit, one)
            if self._is_answered(slot):
                emit("notice", code="user_forced", message=(
                    f"{slot.id} stays on stage until its turn is over, although its rule ends before: "
                    "a request always holds the message it answers"
                ))  # fmt: skip
            return
        since = -(self._recorder.ledger.ordinal + 1)
        if reduces(slot, row, self._content):
            how: Representation = "stub" if row.retire == "stub" else "ref"
            self._recorder.keep_arguments(slot)
            emit("represented", **representing(slot, how, since))
        if call is not None and self._reduce_call(call, row.key):
            emit("represented", **representing(call, "ref", since))

    def _is_answered(self, slot: Slot) -> bool:
        """Whether it is the message of the turn: until that is over it is on stage, in full (kernel.md P2)."""
        return slot.is_message and slot.turn == self._recorder.ledger.turn

    def _call_of(self, slot: Slot) -> Slot | None:
        answers = slot.link.answers if slot.link is not None else None
        return self._recorder.ledger.slots[answers] if answers is not None else None

    def _close(self, emit: Emit, slot: Slot) -> None:
        ledger, stage = self._recorder.ledger, self._recorder.stage
        for index, (start, end) in enumerate(slot.segments):
            if begun(start, stage.turn, stage.ordinal) and (
                end is None or not over(end, stage.turn, stage.ordinal)
            ):
                emit("segment_closed", slot=slot.id, index=index, end=-ledger.ordinal, was=end)

    def _reduce_call(self, slot: Slot, key: str | None) -> bool:
        """Whether a call on stage has long arguments to replace; they become artifacts."""
        content = self._content(slot)
        if not self._recorder.stage.is_full(slot.id) or reduced_call(content, key) == content:
            return False
        self._recorder.keep_arguments(slot)
        return True

    def _content(self, slot: Slot) -> Content:
        return decode(self._recorder.content(slot.digest))


def _never() -> bool:
    """Without limits there are no bands."""
    return False
