"""Settling: carrying out what is due, in batches that a prompt cache can bear (language.md section 2, settle)."""

from __future__ import annotations

from ..compiler.program import Program
from .kernel.content import Call, Content, decode
from .kernel.places import begun, over
from .kernel.representation import stand_in, stand_in_call
from .kernel.retirement import row_of
from .kernel.slots import Slot
from .kernel.stage import unit_key
from .recorder import Emit, Recorder
from .requests import Requests


class Settling:
    """Decides when due slots are carried out, and does it."""

    def __init__(self, recorder: Recorder, program: Program, requests: Requests) -> None:
        self._recorder = recorder
        self._program = program
        self._requests = requests

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
            if row.retire == "drop":
                gone.add(slot.id)
                if row.of == "chain" and slot.link is not None and slot.link.answers is not None:
                    gone.add(slot.link.answers)
        return frozenset(gone)

    def _now(self) -> list[Slot]:
        """All due slots when it is time for them, else none.

        It is time at once without a settle section; else (a) ``every`` calls after the last settle, if they
        hold ``min_tokens``, or (b) when the request breaks at or before the first of them anyway.
        """
        due = self._recorder.stage.due()
        settle = self._program.settle
        if not due or settle is None:
            return due
        ledger = self._recorder.ledger
        calls = ledger.ordinal - ledger.settled
        if calls >= settle.every and sum(slot.tokens for slot in due) >= settle.min_tokens:
            return due
        broken = self._requests.break_key()
        return due if broken is not None and broken <= unit_key(due[0]) else []

    def _retire(self, emit: Emit, slot: Slot) -> None:
        row = row_of(self._program, slot)
        call = self._call_of(slot) if row.of == "chain" else None
        if row.retire == "drop":
            for one in (slot, call):
                if one is not None:
                    self._close(emit, one)
            return
        done = self._reduce(emit, slot, row.retire)
        if call is not None and self._reduce_call(emit, call, row.key):
            done = True
        if not done:
            self._recorder.stage.retirement.spend(slot.id)

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

    def _reduce(self, emit: Emit, slot: Slot, retire: str) -> bool:
        how = "stub" if retire == "stub" else "ref"
        content = self._content(slot)
        text = stand_in(content, "stub" if how == "stub" else "ref", slot.digest.hex())
        if text is None:
            return False
        emit("represented", slot=slot.id, how=how, was="full", since=-(self._recorder.ledger.ordinal + 1))
        return True

    def _reduce_call(self, emit: Emit, slot: Slot, key: str | None) -> bool:
        """Replace a call's long arguments by markers; the arguments become artifacts."""
        content = self._content(slot)
        calls = [p for p in content if isinstance(p, Call)] if not isinstance(content, str) else []
        if not calls or not self._recorder.stage.is_full(slot.id):
            return False
        kept: list[str] = []

        def digest_of(text: str) -> str:
            kept.append(text)
            return self._recorder.keep_content(text).hex()

        key_path = key.removeprefix("args.") if key is not None else None
        if stand_in_call(calls[0], key_path, digest_of) == calls[0]:
            return False
        emit("represented", slot=slot.id, how="ref", was="full", since=-(self._recorder.ledger.ordinal + 1))
        return True

    def _content(self, slot: Slot) -> Content:
        return decode(self._recorder.content(slot.digest))
