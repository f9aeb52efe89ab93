"""The recorder: makes events, folds them at once, and writes them to the store in whole batches.

A **staged** turn is one whose first call has no reply yet: its events are folded but not written, and can be
taken back as if it had not begun. Maintenance that it led to (settle) survives that (kernel.md section 3).
A **late** session is one that is not to be in the store before something was said in it: until then nothing is written.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from ..grammar.errors import DccError
from .errors import SessionError, StoreError, purged_content
from .kernel.containing import Finder
from .kernel.content import Content, decode, encode, text_of
from .kernel.events import Event
from .kernel.hashing import StateHash
from .kernel.ledger import Ledger
from .kernel.reduction import reduced_call
from .kernel.slots import Slot
from .kernel.stage import Stage
from .saving import Saving
from .store.interface import Store

#: Causes of maintenance: transactions that survive the turn they were made in.
MAINTENANCE = frozenset({"settle", "pruning", "critical_pass", "usage"})

#: What is told in the place of a notice that held what a redaction deleted.
REDACTED = "(this notice was redacted)"

Emit = Callable[..., Event]


@dataclass(slots=True)
class _Staged:
    """What to go back to when the staged turn is taken back."""

    turn: int
    seq: int
    transaction: int
    due: list[str]
    flips: int
    pending: list[Event]
    contents: dict[bytes, bytes]
    purge: dict[bytes, None]


class Recorder:
    """Folds events into a ledger and its stage, and writes them."""

    def __init__(self, store: Store, ledger: Ledger, stage: Stage, hash: StateHash, saving: Saving) -> None:
        self.store = store
        self.ledger = ledger
        self.stage = stage
        self.hash = hash
        self._saving = saving
        self._written = ledger.seq
        self._pending: list[Event] = []
        self._contents: dict[bytes, bytes] = {}
        self._purge: dict[bytes, None] = {}
        self._staged: _Staged | None = None
        self._failed = False
        self._changes: set[str] | None = None
        self.in_flight = False
        #: Whether the session is late: what it has come to so far waits for the first thing that is said.
        self.is_late = False
        #: What every content goes through before it is kept; it gives what it has given as it is.
        self.mask: Callable[[Content], Content] = _as_it_is

    @property
    def is_staged(self) -> bool:
        """Whether a turn has begun whose first call has no reply."""
        return self._staged is not None

    @property
    def is_stored(self) -> bool:
        """Whether anything of the session is in the store."""
        return self._written > 0

    @property
    def last_request(self) -> int:
        """The ordinal of the last request that went out: of a call in progress, else of the last completed one."""
        return self.ledger.ordinal + (self.in_flight or self.ledger.reply is not None)

    @contextmanager
    def transaction(self, cause: str) -> Iterator[Emit]:
        """A numbered transaction; yields ``emit(kind, **data)``. It is written by the next :meth:`write`.

        One that is broken off half way leaves the session stale: no part of it is ever written.
        """
        self._need_known()
        number = self.ledger.transaction + 1

        def emit(kind: str, *, cause: str = cause, **data: Any) -> Event:
            if kind == "notice" and "message" in data:
                data["said"] = self.keep_content(data.pop("message")).hex()
            event = Event(
                self.ledger.seq + 1, self.ledger.turn, self.ledger.ordinal, number, kind, cause, data
            )
            self.ledger.apply(event)
            self._pending.append(event)
            if kind == "purged":
                self._forget(data["digests"])
            self.refresh(cause)
            return event

        before = self.ledger.seq
        try:
            yield emit
        except BaseException as error:
            self._failed = self.ledger.seq > before or not isinstance(error, DccError)
            raise

    def _need_known(self) -> None:
        """Nothing more is done once the ledger may differ from what was stored. Raises ``session_stale``."""
        if self._failed:
            raise SessionError(
                "session_stale", "an earlier step failed half way, so this session no longer knows its ledger",
                help="open the session again",
            )  # fmt: skip

    def listen(self) -> set[str]:
        """A set that every slot which an event touches, or the clock, joins from now on; the listener empties it."""
        self._changes = set()
        return self._changes

    def refresh(self, cause: str) -> None:
        """Bring the stage up to date with the slots that the last events touched."""
        if self.ledger.touched:
            self.stage.refresh(self.ledger.touched, cause)
            if self._changes is not None:
                self._changes.update(self.ledger.touched)
            self.ledger.touched.clear()
        for slot_id in self.ledger.outdated:
            self.stage.retirement.outdate(slot_id)
        self.ledger.outdated.clear()

    def keep_content(self, content: Content) -> bytes:
        """Give the content to the next write, masked; returns its digest (32 bytes)."""
        data = encode(self.mask(content))
        digest = hashlib.sha256(data).digest()
        self._contents[digest] = data
        return digest

    def _forget(self, digests: Iterable[str]) -> None:
        """Have the next write delete contents; one that is kept after this is a new fact, and stays."""
        for digest in map(bytes.fromhex, digests):
            self._contents.pop(digest, None)
            self._purge[digest] = None

    def keep_arguments(self, slot: Slot) -> None:
        """Make artifacts of the long arguments of a toolCall slot: a reduced call names them (P6)."""
        if slot.element == "toolCall":
            reduced_call(decode(self.content(slot.digest)), None, lambda text: self.keep_content(text).hex())

    def content(self, digest: bytes) -> bytes:
        """Encoded content, written or not yet. Raises StoreError: ``missing_content``, ``purged``."""
        held = self._contents.get(digest)
        if held is None and digest in self._purge:
            raise purged_content(digest)
        return held if held is not None else self.store.content(digest)

    def holding(self, *values: str) -> list[bytes]:
        """The digests of contents in which one of the values occurs, written or not yet. Costs O(history)."""
        finder = Finder(values)
        waiting = [digest for digest, data in self._contents.items() if finder.is_in(data)]
        return [*self.store.holding(*values), *waiting]

    def message_of(self, notice: Event) -> str:
        """What a notice says, or that a redaction deleted it. Sessions that dcc 0.1 began hold it in the event."""
        if "message" in notice.data:
            return str(notice.data["message"])
        try:
            return text_of(decode(self.content(bytes.fromhex(notice.data["said"]))))
        except StoreError as error:
            if error.code != "purged":
                raise
            return REDACTED

    def events(self, after: int) -> Iterator[Event]:
        """The events with a seq above ``after``, written or not yet."""
        yield from (Event.from_row(row) for row in self.store.rows(after))
        yield from (event for event in self._pending if event.seq > after)

    def write(self) -> None:
        """Write everything since the last write, in one step. Raises StoreError."""
        self._need_known()
        self._staged = None
        self.ledger.journal = None
        if not self._pending or self.is_late:
            return
        try:
            rows = [event.to_row() for event in self._pending]
            self.store.append(self._written, rows, self._contents, purge=tuple(self._purge))
        except BaseException:
            self._failed = True
            raise
        self._written = self.ledger.seq
        self._pending.clear()
        self._contents.clear()
        self._purge.clear()
        self._saving.written()

    def be_there(self) -> None:
        """Something was said: a late session is written, and so is what follows. Raises StoreError."""
        if self.is_late:
            self.is_late = False
            self.write()

    def close(self) -> None:
        """Leave a snapshot for the next opening, and let go of the store."""
        if not self._pending and not self._failed:
            self._saving.save()
        self.store.close()

    def begin_staging(self) -> None:
        """From here to the first reply, what happens can be taken back."""
        ledger = self.ledger
        ledger.journal = []
        self._staged = _Staged(
            ledger.turn, ledger.seq, ledger.transaction, [], len(self.stage.flips),
            list(self._pending), dict(self._contents), dict(self._purge),
        )  # fmt: skip

    def advance(self) -> None:
        """Move the stage to the next request of the ledger's turn."""
        due = self.stage.move(self.ledger.turn, self.ledger.ordinal + 1)
        if self._changes is not None:
            self._changes.update(due)
        if self._staged is not None:
            self._staged.due += due

    def take_back(self) -> None:
        """Take the staged turn back. Its maintenance is made again and written."""
        staged = self._staged
        if staged is None or self._failed:
            return
        survivors = [e for e in self._pending[len(staged.pending) :] if e.cause in MAINTENANCE]
        named = [e.data.get("note") or e.data.get("said") for e in survivors if e.kind in ("represented", "notice")]
        digests = [bytes.fromhex(digest) for digest in named if digest]
        kept = {digest: self._contents[digest] for digest in digests if digest in self._contents}
        ledger = self.ledger
        for step in reversed(ledger.journal or ()):
            step()
        ledger.journal = None
        self._staged = None
        ledger.seq, ledger.transaction = staged.seq, staged.transaction
        self._pending, self._contents, self._purge = staged.pending, staged.contents | kept, staged.purge
        self.stage.move_back(staged.turn, staged.due)
        if self._changes is not None:
            self._changes.update(staged.due)
        self.refresh("rollback")
        del self.stage.flips[staged.flips :]
        for number, events in groupby(survivors, key=lambda event: event.transaction):
            self._make_again(number, list(events))
        self.write()

    def _make_again(self, number: int, events: list[Event]) -> None:
        """Repeat a transaction whose turn was taken back; a hold that is named after it gets its new number."""
        old, new = f"op:{number}", f"op:{self.ledger.transaction + 1}"
        with self.transaction(events[0].cause) as emit:
            for event in events:
                if event.kind == "represented":
                    self.keep_arguments(self.ledger.slots[event.data["slot"]])
                renamed = {"name": new} if event.data.get("name") == old else {}
                emit(event.kind, cause=event.cause, **event.data | renamed)


def _as_it_is(content: Content) -> Content:
    return content
