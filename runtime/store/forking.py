"""Forking: a session that begins where another one was after one of its turns. Contents are shared."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ..errors import StoreError
from ..folding import fold_events
from ..kernel.clock import Clock, SystemClock
from ..kernel.events import Event
from ..kernel.hashing import StateHash
from ..kernel.ledger import Ledger
from ..saving import Saving
from .claim import claimed
from .postings import copy_index
from .purging import copy_purges
from .schema import answering, open_file
from .sqlite import SqliteStore

_CLOSED = frozenset({"turn_committed", "turn_interrupted"})


def fork_session(
    path: Path | str, session: str, new: str, *, name: str = "", at: int | None = None, clock: Clock | None = None
) -> str:
    """Make the session ``new`` out of another one of the same file; returns its state hash.

    ``at``: the turn after whose end it begins (None: as the session is now, an open turn included). Raises
    StoreError: ``unknown_session``, ``session_exists``, ``session_in_use``, ``no_such_turn``; EventError
    (``damaged_events``): nothing is then copied.
    """
    with claimed(path, new, "fork"):
        return _fork(Path(path), session, new, name, at, clock or SystemClock())


def _fork(path: Path, session: str, new: str, name: str, at: int | None, clock: Clock) -> str:
    ledger, hash, last = _folded(path, session, at)
    now = clock.now()
    connection = open_file(path)
    try:
        with answering(path), connection:
            connection.execute("BEGIN IMMEDIATE")
            if connection.execute("SELECT 1 FROM sessions WHERE id = ?", (new,)).fetchone():
                raise StoreError("session_exists", f"there is a session {new} already", help="give another id")
            made = connection.execute(
                "INSERT INTO sessions (id, name, created, used) VALUES (?, ?, ?, ?)", (new, name, now, now)
            )
            ((number,),) = connection.execute("SELECT number FROM sessions WHERE id = ?", (session,)).fetchall()
            copied = {"new": made.lastrowid, "old": number, "last": last}
            for table, columns in (("events", "seq, row"), ("held", "digest, seq")):
                connection.execute(
                    f"INSERT INTO {table} SELECT :new, {columns} FROM {table} WHERE session = :old AND seq <= :last",
                    copied,
                )
            copy_purges(connection, number, copied["new"], last)
            copy_index(connection, number, copied["new"], last)
    finally:
        connection.close()
    store = SqliteStore(path, new, clock=clock)
    try:
        Saving(store, ledger, hash, None).save()
        return hash.value()
    finally:
        store.close()


def _folded(path: Path, session: str, at: int | None) -> tuple[Ledger, StateHash, int]:
    """The state that the fork begins with, and its last event: a damaged session is found out before it is copied."""
    source = SqliteStore(path, session, read_only=True)
    try:
        last = source.last if at is None else _end_of(at, Event.from_rows(source.rows()))
        ledger = Ledger()
        hash = StateHash(ledger, 0)
        ledger.watch = hash.note
        fold_events(ledger, hash, (event for event in Event.from_rows(source.rows()) if event.seq <= last))
        return ledger, hash, last
    finally:
        source.close()


def _end_of(turn: int, events: Iterator[Event]) -> int:
    """The seq of the event that closed a turn. Raises StoreError (``no_such_turn``)."""
    last = 0
    for event in events:
        if event.kind in _CLOSED:
            last = event.data["turn"]
            if last == turn:
                return event.seq
    raise StoreError("no_such_turn", f"turn {turn} is not over in this session", help=f"its last turn is {last}")
