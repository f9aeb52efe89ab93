"""The state hash (kernel.md section 3): SHA-256 over the clock, the rules, the queue and one row a slot.

The rows are summed mod 2^256, so a change costs the rows it changes. Wall time, seq, usage and notices are
outside; a slot that an undo took back has no row.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

from .events import FORMAT_VERSION, rule_to_text
from .ledger import Ledger
from .slots import Slot

_MODULUS = 1 << 256
_ENCODE = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


class StateHash:
    """Keeps the sum of the rows. ``note`` a slot before it changes; ``value`` folds what was noted."""

    def __init__(self, ledger: Ledger, total: int) -> None:
        self._ledger = ledger
        self._total = total
        self._before: dict[str, Slot | None] = {}

    def note(self, slot_id: str, slot: Slot | None) -> None:
        """Remember the slot as it is now, before a change; None: it is yet to be born."""
        self._before.setdefault(slot_id, slot)

    def restart(self, total: int) -> None:
        """Go on from a sum that the ledger itself recorded."""
        self._total = total
        self._before.clear()

    @property
    def total(self) -> int:
        """The sum of the rows of all slots."""
        for slot_id, old in self._before.items():
            new = self._ledger.slots.get(slot_id)
            if new is not old:
                self._total += row_hash(new) - row_hash(old)
        self._total %= _MODULUS
        self._before.clear()
        return self._total

    def value(self) -> str:
        """The state hash, in hex."""
        return state_hash(self._ledger, self.total)


def row_hash(slot: Slot | None) -> int:
    """The number of a slot's canonical row; 0 for no slot and for one that an undo took back."""
    if slot is None:
        return 0
    holds: list[str] = []
    kept = cancelled = False
    shape: str | list[Any] = "full"
    if slot.marks is not None:
        if slot.is_undone:
            return 0
        holds = [m.name for m in slot.marks.holds if m.until is None]
        kept = any(m.until is None for m in slot.marks.keeps)
        cancelled = any(m.until is None for m in slot.marks.cancels)
        how, _, note, preview, images, _ = slot.shape
        beside = [note, preview, images] if images else [note, preview]
        shape = [how, *beside] if any(beside) else how
    row: list[Any] = [
        slot.id, slot.position, slot.shown_from, rule_to_text(slot.rule), slot.segments, holds, cancelled,
        shape, slot.digest.hex(), kept,
    ]  # fmt: skip
    if slot.replaces is not None:
        row.append(["replaces", slot.replaces])
    if slot.is_purged:
        row.append("purged")
    return int.from_bytes(hashlib.sha256(_ENCODE(row).encode("utf-8", "surrogatepass")).digest(), "big")


def sum_of_rows(ledger: Ledger) -> int:
    """The sum over all slots, from scratch. Costs O(history)."""
    return sum(row_hash(slot) for slot in ledger.slots.values()) % _MODULUS


def state_hash(ledger: Ledger, total: int) -> str:
    """The hash of a state whose rows sum to ``total``, in hex."""
    rules = _ENCODE(sorted((element, rule_to_text(rule)) for element, rule in ledger.rules.items()))
    queue = [[p.element, p.digest, p.mode, p.turns, p.at] for p in ledger.queue]
    digest = hashlib.sha256(rules.encode("utf-8", "surrogatepass")).hexdigest()
    row = [FORMAT_VERSION, ledger.turn, ledger.ordinal, digest, queue, f"{total:064x}"]
    return hashlib.sha256(_ENCODE(row).encode("utf-8", "surrogatepass")).hexdigest()
