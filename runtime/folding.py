"""Folding a store: from its events to the state of a session (kernel.md section 3, state = fold(events))."""

from __future__ import annotations

import gc

from .errors import SessionError
from .kernel.events import Event
from .kernel.hashing import StateHash
from .kernel.ledger import Ledger
from .store.interface import Store


def fold(store: Store) -> tuple[Ledger, StateHash]:
    """The ledger of a store, and its state hash, which goes on from the last sum that the events recorded.

    Raises SessionError (``empty_store``).
    """
    ledger = Ledger()
    hash = StateHash(ledger, 0)
    ledger.watch = hash.note
    # A fold only makes values that stay: looking for garbage among them is a tenth of its time.
    collecting = gc.isenabled()
    gc.disable()
    try:
        for event in Event.from_rows(store.rows()):
            ledger.apply(event)
            ledger.touched.clear()
            ledger.outdated.clear()
            if "sum" in event.data:
                hash.restart(int(event.data["sum"], 16))
    finally:
        if collecting:
            gc.enable()
    if not ledger.seq:
        raise SessionError("empty_store", "the store holds no session", help="begin one with Session.create")
    return ledger, hash
