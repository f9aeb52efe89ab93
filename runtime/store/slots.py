"""The slots of a session in its SQLite file, as its snapshots left them (see ``kernel.index``)."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from ..errors import StoreError
from .schema import answering

#: Rows that are read at once.
_PAGE: Final = 512

_FROM: Final = "FROM slots INDEXED BY slots_by_{} WHERE session = :session"

# Which index answers is said each time: without statistics SQLite would rather walk over the whole session.
_AT_HAND: Final = """
WITH near AS (
  SELECT number FROM slots INDEXED BY slots_by_turn WHERE session = :session AND rest_turn > :turn
  UNION SELECT number FROM slots INDEXED BY slots_by_ordinal WHERE session = :session AND rest_call > :ordinal
), calls AS (SELECT id FROM near JOIN slots USING (number) WHERE session = :session AND element = 'toolCall')
SELECT number, row FROM near JOIN slots USING (number) WHERE session = :session
UNION SELECT number, row FROM calls JOIN slots INDEXED BY slots_by_call ON session = :session AND answers = calls.id
ORDER BY number
"""


class StoredIndex:
    """Reads slots one by one, for as long as the session that opened it is their only writer.

    ``seq`` is that of the last snapshot that this writer knows of. Another one is another writer's: what is read
    would be of another moment than what is in memory, and is refused (StoreError, ``seq_conflict``).
    """

    def __init__(self, connection: sqlite3.Connection, path: Path, session: int, seq: int) -> None:
        self._connection = connection
        self._path = path
        self._session = session
        self.seq = seq
        self._births: int = self._read("SELECT count(*) FROM slots WHERE session = :session")[0][0]

    @property
    def births(self) -> int:
        """See ``Index.births``."""
        return self._births

    def slot(self, slot_id: str) -> bytes | None:
        """See ``Index.slot``."""
        rows = self._read(f"SELECT row {_FROM.format('id')} AND id = :id", id=slot_id)
        return rows[0][0] if rows else None

    def slots(self) -> Iterator[bytes]:
        """See ``Index.slots``."""
        page = (
            "SELECT row FROM slots WHERE session = :session AND number > :after AND number <= :upto ORDER BY number"
        )
        for after in range(0, self._births, _PAGE):
            for (row,) in self._read(page, after=after, upto=min(after + _PAGE, self._births)):
                yield row

    def at_hand(self, turn: int, ordinal: int) -> Iterator[bytes]:
        """See ``Index.at_hand``."""
        return (row for _, row in self._read(_AT_HAND, turn=turn, ordinal=ordinal))

    def ids(self, element: str) -> list[str]:
        """See ``Index.ids``."""
        ids = f"SELECT id {_FROM.format('element')} AND element = :element AND number <= :upto ORDER BY number"
        return [slot_id for (slot_id,) in self._read(ids, element=element, upto=self._births)]

    def result_of(self, call: str) -> str | None:
        """See ``Index.result_of``."""
        return self._newest("call", "answers = :call", call=call)

    def newest(self, line: str, key: str | None) -> str | None:
        """See ``Index.newest``."""
        return self._newest("line", "line = :line AND key IS :key", line=line, key=key)

    def touch(self, key: str) -> str | None:
        """See ``Index.touch``."""
        return self._newest("key", "key = :key", key=key)

    def has_wire(self, wire: str) -> bool:
        """See ``Index.has_wire``."""
        return self._newest("wire", "wire = :wire", wire=wire) is not None

    def _newest(self, by: str, condition: str, **values: Any) -> str | None:
        """The id of the newest slot for which a condition holds; ``by``: the index that knows."""
        newest = f"SELECT id {_FROM.format(by)} AND {condition} ORDER BY number DESC LIMIT 1"
        rows = self._read(newest, **values)
        return rows[0][0] if rows else None

    def _read(self, query: str, **values: Any) -> list[tuple[Any, ...]]:
        with answering(self._path):
            rows = self._connection.execute(query, {"session": self._session, **values}).fetchall()
            # Slots are only written together with a snapshot: if it is still ours, so was what was just read.
            newest = "SELECT seq FROM snapshots WHERE session = ?"
            found = self._connection.execute(newest, (self._session,)).fetchone()
        if found is None or found[0] != self.seq:
            raise StoreError(
                "seq_conflict", "another process has gone on with this session since it was opened here",
                help="open the session again; what was not written can be repeated",
            )  # fmt: skip
        return rows
