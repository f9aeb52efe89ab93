"""Folding a store: from its events to the state of a session (kernel.md section 3, state = fold(events))."""

from __future__ import annotations

import gc
from collections.abc import Iterable

from .errors import SessionError
from .kernel.events import DAMAGE, Event, damaged
from .kernel.hashing import StateHash
from .kernel.ledger import Ledger
from .kernel.snapshot import SnapshotError, read_snapshot, restore
from .saving import Saving
from .store.interface import Store


def fold(store: Store) -> tuple[Ledger, StateHash, Saving]:
    """The ledger of a store, its state hash, and what saves it.

    Begins at the store's snapshot, if it has one that is whole. Raises SessionError (``empty_store``),
    SnapshotError (``unknown_snapshot``).
    """
    ledger, total = _begin(store)
    hash = StateHash(ledger, total)
    saving = Saving(store, ledger, hash, ledger.seq or None)
    fold_events(ledger, hash, Event.from_rows(store.rows(ledger.seq)))
    if not ledger.seq:
        raise SessionError("empty_store", "the store holds no session", help="begin one with Session.create")
    return ledger, hash, saving


def fold_events(ledger: Ledger, hash: StateHash, events: Iterable[Event]) -> None:
    """Fold events into a ledger; the hash goes on from the last sum that they recorded.

    Raises EventError (``damaged_events``).
    """
    # A fold only makes values that stay: looking for garbage among them is a tenth of its time.
    collecting = gc.isenabled()
    gc.disable()
    try:
        for event in events:
            ledger.apply(event)
            if "sum" in event.data:
                hash.restart(int(event.data["sum"], 16))
                _forget_touched(ledger)
        _forget_touched(ledger)
    except DAMAGE as error:
        raise damaged(error) from error
    finally:
        if collecting:
            gc.enable()


def _forget_touched(ledger: Ledger) -> None:
    """There is no stage yet that would have to look at what events touched."""
    ledger.touched.clear()
    ledger.outdated.clear()


def _begin(store: Store) -> tuple[Ledger, int]:
    """The ledger of the store's snapshot and the sum of its rows; an empty one when there is none to be had."""
    saved = store.saved()
    if saved is None:
        return Ledger(), 0
    try:
        return restore(read_snapshot(saved.snapshot), saved.slots)
    except SnapshotError as error:
        if error.code == "unknown_snapshot":
            raise
        return Ledger(), 0
