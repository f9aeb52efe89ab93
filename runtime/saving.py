"""Saving: when a session's snapshot is written, and what goes into it (kernel.md section 3)."""

from __future__ import annotations

from ..grammar.errors import DccError
from .kernel.hashing import StateHash
from .kernel.index import row_of_slot
from .kernel.ledger import Ledger
from .kernel.slots import Slot
from .kernel.snapshot import snapshot_of, snapshot_to_row
from .recall.filing import file_births, save_index
from .store.interface import Store


class Saving:
    """Keeps account of the slots that changed since the last snapshot, and has the next one written.

    ``saved``: the seq of the snapshot that the ledger was opened from; None when it was folded from its first event.
    """

    def __init__(self, store: Store, ledger: Ledger, hash: StateHash, saved: int | None) -> None:
        self._store = store
        self._ledger = ledger
        self._hash = hash
        self._saved = saved
        self._changed: dict[str, None] = {}
        self._every = store.every
        ledger.watch = hash.note if self._every is None else self._note

    def _note(self, slot_id: str, slot: Slot | None) -> None:
        """A slot is about to change."""
        self._hash.note(slot_id, slot)
        self._changed[slot_id] = None

    def written(self) -> None:
        """All events of the ledger are in the store: save, if enough have come together."""
        if self._every is not None and self._ledger.seq - (self._saved or 0) >= self._every:
            self.save()

    def save(self) -> None:
        """Write a snapshot of the ledger as it is, unless there is one already. All its events must be written.

        The recall index is kept with it, up to the same event.
        """
        ledger = self._ledger
        if self._every is None:
            return
        try:
            if ledger.seq != self._saved and self._save_snapshot():
                file_births(self._store)
            save_index(self._store)
        except DccError:
            # The events are safe, and all that is lost is time: the next write tries again.
            return

    def _save_snapshot(self) -> bool:
        """Write the snapshot; False when another writer has gone on. Raises StoreError."""
        ledger = self._ledger
        whole = self._saved is None
        slots = ledger.slots.values() if whole else [s for i in self._changed if (s := ledger.slots.get(i))]
        snapshot = snapshot_to_row(snapshot_of(ledger, self._hash.total))
        saved = self._store.save(ledger.seq, snapshot, map(row_of_slot, slots), whole=whole)
        if saved:
            self._saved = ledger.seq
            self._changed.clear()
        return saved
