"""Purging: what else holds the values that a redaction takes away (kernel.md section 3)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ...compiler.program import SUMMARY as SUMMARY_ELEMENT
from ..kernel.containing import Finder
from ..kernel.content import Content, encode
from ..kernel.slots import SUMMARY, Slot
from ..purging import noted_with, slots_with
from .facts import Reader
from .in_events import said_in
from .staged import Bear, Replace, Represent, Step


@dataclass(frozen=True, slots=True)
class Found:
    """``digests`` of the contents to delete, the ``slots`` that have them, those that have them as ``notes``, and what
    stands in the way (``kept``).
    """

    digests: tuple[bytes, ...]
    slots: tuple[str, ...]
    notes: tuple[str, ...]
    kept: tuple[str, ...]
    values: tuple[str, ...]


def find_values(reader: Reader, values: Iterable[str], redacted: Iterable[str]) -> Found:
    """Look through all that the session stores. Costs O(history): redaction is rare.

    ``redacted``: the slots whose contents go in any case.
    """
    recorder = reader.recorder
    ledger = recorder.ledger
    own = [ledger.slots[slot_id] for slot_id in redacted]
    digests = dict.fromkeys(slot.digest for slot in own)
    values = tuple(values)
    digests.update(dict.fromkeys(recorder.holding(*values)))
    slots = list(slots_with(ledger, digests))
    kept = [slot.id for slot in slots if slot not in own and _stays(reader, slot)]
    queued = {bytes.fromhex(patch.digest): patch.element for patch in ledger.queue}
    kept += [f"the queued patch of {element}" for digest, element in queued.items() if digest in digests]
    session = next(iter(recorder.events(0)))
    if bytes.fromhex(session.data.get("compiled") or "") in digests:
        kept.append("the ruleset")
    finder = Finder(values)
    kept += [what for what, text in recorder.store.called(tuple(digests)) if finder.occurs(text)]
    kept += [what for event in recorder.events(0) for what, text in said_in(event) if finder.occurs(text)]
    notes = tuple(slot.id for slot in noted_with(ledger, digests) if slot not in slots)
    return Found(tuple(digests), tuple(slot.id for slot in slots), notes, tuple(dict.fromkeys(kept)), values)


def written_with(steps: Sequence[Sequence[Step]], values: Iterable[str]) -> tuple[str, ...]:
    """What a transaction itself would write with one of the values in it, in words; ``steps`` by operation."""
    finder = Finder(values)
    return tuple(
        f"what stays of {step.slot}" if isinstance(step, Replace) and step.purges else f"what operation {index} writes"
        for index, its_steps in enumerate(steps)
        for step in its_steps
        if finder.is_in(encode(_text(step)))
    )


def _text(step: Step) -> Content:
    """What a step writes; blank for one that writes nothing."""
    match step:
        case Bear() | Replace():
            return step.content
        case Represent(_, _, note):
            return note or ""
        case _:
            return ""


def _stays(reader: Reader, slot: Slot) -> bool:
    """Whether a slot is not purged with a value that it holds: what a person typed, and what sums up others.

    What an undo took off stage for good stands for nothing any more, and goes with the rest.
    """
    if slot.is_undone:
        return False
    return slot.phase == SUMMARY or slot.element == SUMMARY_ELEMENT or reader.is_protected(slot)
