"""Purging in a session: contents are deleted, and every slot that had one of them is marked (kernel.md section 3)."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from .kernel.ledger import Ledger
from .kernel.slots import Slot
from .recorder import Emit, Recorder


def purge(recorder: Recorder, emit: Emit, digests: Collection[bytes]) -> tuple[str, ...]:
    """Delete the contents with these digests (32 bytes), in the transaction that is open; the ids of their slots.

    The slots are off stage for good from the next request on, and refs are without the notes. A transaction purges
    before it bears anything: what is born afterwards is a new fact, and stays readable though it has the same bytes.
    Costs O(history).
    """
    ledger = recorder.ledger
    slots = tuple(slot.id for slot in slots_with(ledger, digests))
    notes = [slot.id for slot in noted_with(ledger, digests) if slot.id not in slots]
    emit(
        "purged", slots=list(slots), digests=[d.hex() for d in digests], since=-(recorder.last_request + 1),
        **({"notes": notes} if notes else {}),
    )  # fmt: skip
    return slots


def slots_with(ledger: Ledger, digests: Collection[bytes]) -> Iterator[Slot]:
    """The slots that have one of the contents and have not lost it before, by birth. Costs O(history)."""
    return (slot for slot in ledger.slots.values() if slot.digest in digests and not slot.is_purged)


def noted_with(ledger: Ledger, digests: Collection[bytes]) -> Iterator[Slot]:
    """The slots that have, or once had, one of the contents as their note, and not lost it. Costs O(history)."""
    names = {digest.hex() for digest in digests}
    for slot in ledger.slots.values():
        shapes = slot.marks.shapes if slot.marks is not None and not slot.is_purged else ()
        if any(shape.note in names and shape.lost is None for shape in shapes):
            yield slot
