"""Verifying: whether all that a file says of a session is what its events say (contracts.md, ``dcc verify``)."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from ...grammar.errors import DccError
from ..kernel.events import DAMAGE, Event
from ..kernel.hashing import StateHash
from ..kernel.index import row_of_slot
from ..kernel.ledger import Ledger
from ..kernel.snapshot import SnapshotError, read_snapshot, snapshot_of, snapshot_to_row
from ..recall.filing import follow
from ..recall.index import DamagedIndex, MemoryIndex, numbers_of
from .sqlite import SqliteStore, StoredSnapshot

_UNREADABLE = (DccError, *DAMAGE)

#: Causes of the transactions that record the state before and after.
_OPERATING = ("op", "refused")


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was looked at, and the first difference that was found (None: none).

    ``snapshot``: the event that the snapshot was taken after, None without one.
    """

    events: int
    slots: int
    contents: int
    snapshot: int | None
    state_hash: str | None
    difference: str | None


class _Difference(Exception):
    """The first difference: looking ends here."""


def verify(store: SqliteStore) -> Verdict:
    """Refold the session of a store from its first event and compare: sums, snapshot, slots, contents, recall."""
    check = _Check(store)
    difference = None
    try:
        check.run()
    except _Difference as found:
        difference = str(found)
    whole = difference is None
    return Verdict(
        check.ledger.seq, check.ledger.births, check.contents, check.snapshot.seq if check.snapshot else None,
        check.hash.value() if whole else None, difference,
    )  # fmt: skip


class _Check:
    def __init__(self, store: SqliteStore) -> None:
        self._store = store
        self.ledger = Ledger()
        self.hash = StateHash(self.ledger, 0)
        self.ledger.watch = self.hash.note
        self.snapshot: StoredSnapshot | None = None
        self.contents = 0
        self._named: dict[bytes, str] = {}
        #: The transaction of operations that is being folded, and the state hash before it.
        self._before = (0, "")

    def run(self) -> None:
        """Look at everything. Raises _Difference."""
        wrong = self._store.check_file()
        if wrong is not None:
            raise _Difference(f"SQLite finds the file damaged: {wrong}")
        self.snapshot = self._store.snapshot()
        if self.snapshot is not None and not self.snapshot.is_whole:
            raise _Difference("the snapshot is damaged: it does not have its checksum")
        if self.snapshot is not None and _is_earlier(self.snapshot):
            self.snapshot = None
        for seq, row in enumerate(self._store.rows(), start=1):
            self._fold(seq, row)
            if self.snapshot is not None and self.snapshot.seq == seq:
                self._compare_snapshot(self.snapshot)
                self._compare_slots()
        if not self.ledger.seq:
            raise _Difference("the session has no events")
        if self.snapshot is not None and self.snapshot.seq > self.ledger.seq:
            raise _Difference(
                f"the snapshot is of event {self.snapshot.seq}, the last event is {self.ledger.seq}: events are missing"
            )
        self._compare_contents()
        self._compare_recall()

    def _fold(self, seq: int, row: bytes) -> None:
        ledger = self.ledger
        try:
            event = Event.from_row(row)
            if event.seq != seq:
                raise _Difference(f"event {seq} is missing, or stands elsewhere: event {event.seq} is in its place")
            self._begin(event)
            ledger.apply(event)
            self._note_contents(event)
        except _UNREADABLE as error:
            raise _Difference(f"event {seq} cannot be folded: {type(error).__name__}: {error}") from None
        ledger.touched.clear()
        ledger.outdated.clear()
        if event.kind == "operated":
            self._compare_states(event)
        if "sum" in event.data:
            found = f"{self.hash.total:064x}"
            if found != event.data["sum"]:
                raise _Difference(
                    f"turn {ledger.turn} (event {seq}): its events fold to the sum {found[:16]}…, "
                    f"it recorded {event.data['sum'][:16]}…"
                )

    def _begin(self, event: Event) -> None:
        if event.cause in _OPERATING and event.transaction != self._before[0]:
            self._before = (event.transaction, self.hash.value())

    def _compare_states(self, event: Event) -> None:
        """The state that a transaction found and the one that it left are those that it recorded (spec/cpat.md 10)."""
        folded = {"before": self._before[1], "after": self.hash.value()}
        for when, found in folded.items():
            if event.data[when] != found:
                recorded = _short(event.data[when])[:18]
                raise _Difference(
                    f"transaction #{event.transaction} (event {event.seq}) and the events diverge: "
                    f"the state {when} it folds to {found[:16]}…, it recorded {recorded}…"
                )

    def _note_contents(self, event: Event) -> None:
        if event.kind == "slot_born":
            self._named[bytes.fromhex(event.data["digest"])] = event.data["slot"]
        elif event.kind == "queued":
            self._named[bytes.fromhex(event.data["patch"][2])] = f"the patch of event {event.seq}"
        elif event.kind == "represented" and event.data.get("note"):
            self._named[bytes.fromhex(event.data["note"])] = f"the note of event {event.seq}"
        elif event.kind == "notice" and "said" in event.data:
            self._named[bytes.fromhex(event.data["said"])] = f"the notice of event {event.seq}"
        elif event.kind == "operated":
            for key, what in (("operations", "operations"), ("outcome", "outcome"), ("why", "reason")):
                if key in event.data:
                    self._named[bytes.fromhex(event.data[key])] = f"the {what} of event {event.seq}"

    def _compare_snapshot(self, snapshot: StoredSnapshot) -> None:
        expected = json.loads(snapshot_to_row(snapshot_of(self.ledger, self.hash.total)))
        try:
            found: dict[str, Any] = dict(json.loads(snapshot.text))
        except (ValueError, TypeError):
            raise _Difference("the snapshot is no JSON object") from None
        for key in expected | found:
            if found.get(key) != expected.get(key):
                raise _Difference(
                    f"the snapshot of event {snapshot.seq} differs in {key!r}: "
                    f"it says {_short(found.get(key))}, the events say {_short(expected.get(key))}"
                )

    def _compare_slots(self) -> None:
        expected = map(row_of_slot, self.ledger.slots.values())
        for slot, stored in zip_longest(expected, self._store.slot_rows()):
            if stored is None or slot is None:
                name = slot.id if stored is None else stored.id
                raise _Difference(f"slot {name} is {'missing from' if stored is None else 'too many in'} the slots")
            for field, says, should in zip(slot._fields, stored, slot, strict=True):
                if says != should:
                    raise _Difference(
                        f"slot {slot.id} differs in {field!r}: it says {_short(says)}, the events say {_short(should)}"
                    )

    def _compare_contents(self) -> None:
        held: set[bytes] = set()
        for digest, data in self._store.held():
            self.contents += 1
            if hashlib.sha256(data).digest() != digest:
                raise _Difference(
                    f"content {digest.hex()[:16]} of {self._named.get(digest, 'an artifact')} does not have its digest"
                )
            held.add(digest)
        held |= self._store.purged
        missing = next((digest for digest in self._named if digest not in held), None)
        if missing is not None:
            raise _Difference(f"content {missing.hex()[:16]} of {self._named[missing]} is missing")

    def _compare_recall(self) -> None:
        """The recall index that the file keeps finds what one made anew finds; one that is not kept is made anew."""
        kept, anew = self._store.recall(), MemoryIndex()
        if not kept.seq:
            return
        try:
            follow(self._store, kept)
            holdings = dict(kept.holdings())
        except DamagedIndex as error:
            raise _Difference(f"the recall index is damaged: {error}; the next recall makes it anew") from None
        follow(self._store, anew)
        expected = {token: {anew.entry(n)[0].slot for n in numbers_of(found)} for token, found in anew.postings()}
        for token in sorted(holdings.keys() | expected.keys()):
            found, should = holdings.get(token, set()), expected.get(token, set())
            if found != should:
                slot = min(found ^ should)
                says, told = ("lacks", "holds") if slot in should else ("finds", "does not hold")
                raise _Difference(f"the recall index {says} {token!r} in {slot}, whose content {told} it")


def _is_earlier(snapshot: StoredSnapshot) -> bool:
    """Whether an earlier dcc wrote a snapshot: this one opens the session without it, and nothing is compared."""
    try:
        read_snapshot(snapshot.text)
    except SnapshotError as error:
        return error.code == "old_snapshot"
    return False


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
