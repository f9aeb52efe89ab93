"""Transactions: operations that are applied all together, or not at all (spec/cpat.md section 4)."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import Literal

from ...compiler.ops.model import OpTable
from ..births import Births
from ..errors import StoreError
from ..kernel.containing import Finder
from ..kernel.content import decode, text_of
from ..kernel.events import Event
from ..purging import purge
from ..recorder import Emit, Recorder
from .carrying import Carrying
from .checking import Checked, check
from .facts import Reader
from .gauge import Gauge
from .journal import REDACTED
from .outcome import Outcome, Rejection, listed
from .purging import Found, find_values, written_with
from .staged import Replace
from .wire import Payload, read_payload

Actor = Literal["agent", "runtime", "person"]


class Transactions:
    """Checks transactions and carries them out. The ledger is the journal: each leaves an ``operated`` event."""

    def __init__(
        self, recorder: Recorder, births: Births, reader: Reader, gauge: Gauge, table: OpTable, gates: frozenset[str]
    ) -> None:
        self._recorder = recorder
        self._births = births
        self._reader = reader
        self._gauge = gauge
        self._table = table
        self._gates = gates

    def update(self, payload: object, actor: Actor = "agent", key: str | None = None) -> Outcome:
        """Apply a transaction, or refuse it with every reason.

        One whose ``key`` was answered before gets the same answer again, and nothing is applied.
        """
        asked = read_payload(payload, self._table, self._gates)
        key = _sealed(key if key is not None else asked.key)
        if key is not None and (known := self._recorder.ledger.keys.get(key)) is not None:
            return self._answered(known)
        checked = check(asked, self._reader, self._gauge.refuses)
        found, checked = self._look_for_values(checked)
        if checked.rejections or not checked.applied:
            return self._record(asked, checked, actor, key)
        return self._apply(asked, checked, found, actor, key)

    def _apply(self, asked: Payload, checked: Checked, found: Found | None, actor: Actor, key: str | None) -> Outcome:
        recorder, staged = self._recorder, checked.staged
        before, delta = recorder.hash.value(), staged.delta()
        used, break_at = self._gauge.used_with(delta, staged.delta_calls()), self._gauge.break_at(staged.first_change())
        number = recorder.ledger.transaction + 1
        if found is not None:
            asked = _without(asked, found)
        with recorder.transaction("op") as emit:
            # First: what the steps write is a new fact, though it may have the bytes of what is deleted.
            purged = purge(recorder, emit, found.digests) if found is not None else ()
            carrying = Carrying(emit, number, self._reader, self._births)
            for steps in checked.steps:
                carrying.carry_out(steps)
            outcome = Outcome(
                ok=True,
                applied=checked.applied,
                freed_tokens=max(0, -delta),
                delta_tokens=delta,
                created=carrying.created,
                budget=self._gauge.budget(used),
                prefix_break_at=break_at,
                pressure_after=self._gauge.pressure(used),
                transaction=number,
                purged=purged,
            )
            self._note(emit, asked, outcome, actor, key, before, recorder.hash.value())
        return outcome

    def _record(self, asked: Payload, checked: Checked, actor: Actor, key: str | None) -> Outcome:
        """Answer a transaction that changes nothing, refused or not."""
        recorder, used = self._recorder, self._gauge.used
        outcome = Outcome(
            ok=not checked.rejections,
            rejections=checked.rejections,
            budget=self._gauge.budget(used),
            pressure_after=self._gauge.pressure(used),
        )
        state = recorder.hash.value()
        with recorder.transaction("refused") as emit:
            self._note(emit, asked, outcome, actor, key, state, state)
        return outcome

    def _note(
        self, emit: Emit, asked: Payload, outcome: Outcome, actor: Actor, key: str | None, before: str, after: str
    ) -> None:
        recorder = self._recorder
        emit(
            "operated", actor=actor, why=recorder.keep_content(asked.reason).hex(),
            operations=recorder.keep_content(asked.plain).hex(),
            ok=outcome.ok, applied=outcome.applied, rejections=[[r.op_index, r.rule] for r in outcome.rejections],
            freed=outcome.freed_tokens, before=before, after=after, key=key,
            outcome=recorder.keep_content(outcome.to_json()).hex(),
        )  # fmt: skip

    def _answered(self, seq: int) -> Outcome:
        """The answer that the transaction with this ``operated`` event got; where a redaction deleted what was said,
        what came of it."""
        event: Event = next(event for event in self._recorder.events(seq - 1) if event.seq == seq)
        data = event.data
        try:
            return Outcome.from_json(text_of(decode(self._recorder.content(bytes.fromhex(data["outcome"])))))
        except StoreError:
            return Outcome(
                ok=data["ok"], applied=data["applied"], freed_tokens=data["freed"],
                rejections=tuple(Rejection(i, rule, "(redacted since)") for i, rule in data["rejections"]),
                budget=self._gauge.budget(self._gauge.used), pressure_after=self._gauge.pressure(self._gauge.used),
                transaction=event.transaction if event.cause == "op" else None,
            )  # fmt: skip

    def _look_for_values(self, checked: Checked) -> tuple[Found | None, Checked]:
        """What a redaction purges; a redaction of what is held elsewhere too, where it stays, is refused."""
        steps = [(i, s) for i, steps in enumerate(checked.steps) for s in steps if isinstance(s, Replace) and s.purges]
        if not steps:
            return None, checked
        values = dict.fromkeys(value for _, step in steps for value in step.values)
        found = find_values(self._reader, values, [step.slot for _, step in steps])
        written = written_with(checked.steps, values)
        if written:
            message = (
                f"{', '.join(dict.fromkeys(written))} holds a value that is to be deleted: nothing was redacted; leave "
                "the value out of what is written, and name every field that holds it in drop"
            )
            return None, _refused(steps[0][0], "redact_elsewhere", message, checked)
        if not found.kept and self._recorder.is_staged:
            message = (
                "the turn has no reply yet: were its request to fail, the turn would be taken back and the deletion "
                "with it; redact after the reply, or before the message"
            )
            return None, _refused(steps[0][0], "redact_early", message, checked)
        if not found.kept:
            for slot_id in found.slots:
                checked.staged.purge(slot_id)
            for slot_id in found.notes:
                checked.staged.unnote(slot_id, found.digests)
            return found, checked
        message = (
            f"{listed(found.kept)} hold{'s' * (len(found.kept) == 1)} a value that is to be deleted; what a person "
            "wrote, what sums up others, and names and labels are not deleted: nothing was redacted; name fewer fields "
            "in drop, or the harmless ones of them in preserve"
        )
        return None, _refused(steps[0][0], "redact_elsewhere", message, checked)


def _without(asked: Payload, found: Found) -> Payload:
    """A redaction as the journal may tell it: without the values that it deletes."""
    finder = Finder(found.values)
    if finder.occurs(asked.reason):
        asked = replace(asked, reason=REDACTED)
    return replace(asked, plain="null") if finder.occurs(asked.plain) else asked


def _sealed(key: str | None) -> str | None:
    """A key as events hold it: they are never written again, so no text of a model's or a host's stands in them."""
    return None if key is None else hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _refused(index: int, rule: str, message: str, checked: Checked) -> Checked:
    """A transaction that is refused for one more reason, when all else was well."""
    return Checked((Rejection(index, rule, message),), checked.staged)
