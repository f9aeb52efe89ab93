"""Bases: what a transaction may say that it was made for, so that it is refused when the context changed since."""

from __future__ import annotations

from ..kernel.ledger import Ledger
from ..kernel.records import Transaction


def base_of(ledger: Ledger) -> int:
    """The base that the manifest gives: the number of the transaction that changed the context last (0: none did)."""
    last = _last_change(ledger)
    return last.number if last is not None else 0


def stale_base(ledger: Ledger, base: int | None) -> str | None:
    """Why a base is no base any more: it was undone, or a later transaction changed the context; None: it is one.

    A base is the number of a transaction; a larger one is a seq of the ledger.
    """
    if base is None:
        return None
    if base in ledger.undone:
        return f"transaction {base} was undone; read the manifest again"
    if not 0 <= base <= ledger.seq:
        return f"no change has that number, {ledger.transaction} is the newest; read the manifest again"
    last = _last_change(ledger)
    if last is None or (last.last if base > ledger.transaction else last.number) <= base:
        return None
    return f"the context changed after {base} (transaction {last.number}); read the manifest again"


def _last_change(ledger: Ledger) -> Transaction | None:
    """The last transaction that can be undone, or that has undone others: an undo changes the context, too."""
    changes = [*ledger.history[-1:], *([ledger.last_undo] if ledger.last_undo is not None else [])]
    return max(changes, key=lambda transaction: transaction.number, default=None)
