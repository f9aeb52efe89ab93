"""How much memory a slot takes with its events, beside its content."""

from __future__ import annotations

import sqlite3
import tracemalloc
from collections.abc import Collection, Mapping, Sequence
from gc import collect

from dcc.runtime.session import Session
from dcc.runtime.store.memory import MemoryStore

from .history import PROGRAM
from .turns import turn_of_two_calls

SLOTS = 60_000
SLOTS_A_TURN = 4


class ContentsApart(MemoryStore):
    """Keeps events as ever, and contents in SQLite, whose memory is not Python's and so is not counted."""

    def __init__(self) -> None:
        super().__init__()
        self._table = sqlite3.connect(":memory:")
        self._table.execute("CREATE TABLE content (digest BLOB PRIMARY KEY, data BLOB)")

    def append(
        self, after: int, rows: Sequence[bytes], contents: Mapping[bytes, bytes], purge: Collection[bytes] = ()
    ) -> None:
        """See ``Store.append``."""
        super().append(after, rows, {}, purge)
        self._table.executemany("INSERT OR IGNORE INTO content VALUES (?, ?)", contents.items())

    def content(self, digest: bytes) -> bytes:
        """See ``Store.content``."""
        found = self._table.execute("SELECT data FROM content WHERE digest = ?", (digest,)).fetchone()
        data: bytes = found[0]
        return data


def run(quick: bool) -> dict[str, float]:
    """Bytes a slot, over a session that was really played."""
    turns = (SLOTS // 100 if quick else SLOTS) // SLOTS_A_TURN
    collect()
    tracemalloc.start()
    try:
        session = Session.create(PROGRAM, store=ContentsApart(), system="You are brief.")
        for _ in range(turns):
            turn_of_two_calls(session)
        collect()
        traced, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    return {"slot_bytes": traced / (turns * SLOTS_A_TURN)}
