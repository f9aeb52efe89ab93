"""Deleting a session, so that nothing of it can be read in its file any more."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Final

from ..errors import StoreError
from .postings import forget_session
from .purging import has_purges, mark, wipe
from .schema import answering, is_busy, open_file

#: Milliseconds that a deletion waits for a process that writes.
_WAIT: Final = 1_000

_TABLES: Final = ("events", "held", "snapshots", "slots")

#: The trigger that keeps events from being deleted one by one.
_GUARD: Final = "events_stay"

#: The contents that no other session holds.
_ORPHANS: Final = "digest IN (SELECT digest FROM leaving) AND digest NOT IN (SELECT digest FROM held)"


def delete_session(path: Path | str, session: str) -> bool:
    """Delete a session of a file, with the contents that no other session holds. Who asks for it has claimed it.

    False: it is deleted, but another process is reading the file, so that bytes of it may be left in it until the next
    deletion. Raises StoreError: ``unknown_session``, ``busy`` (another process writes), those of ``open_file``.
    """
    path = Path(path)
    connection = open_file(path)
    try:
        with answering(path):
            _begin(connection, path)
            try:
                _delete(connection, path, session)
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise
            return wipe(connection, again=False)
    finally:
        connection.close()


def _begin(connection: sqlite3.Connection, path: Path) -> None:
    connection.execute(f"PRAGMA busy_timeout = {_WAIT}")
    try:
        connection.execute("BEGIN IMMEDIATE")
    except sqlite3.OperationalError as error:
        if not is_busy(error):
            raise
        help = "end it, or wait until it is done, and try again"
        raise StoreError("busy", f"another process is writing to {path}; nothing was deleted", help=help) from None


def _delete(connection: sqlite3.Connection, path: Path, session: str) -> None:
    found = connection.execute("SELECT number FROM sessions WHERE id = ?", (session,)).fetchone()
    if found is None:
        raise StoreError("unknown_session", f"{path} has no session {session!r}", help="dcc sessions list shows them")
    number: int = found[0]
    written = "SELECT sql FROM sqlite_schema WHERE type = 'trigger' AND name = ?"
    guard = connection.execute(written, (_GUARD,)).fetchone()
    connection.execute(f"DROP TRIGGER IF EXISTS {_GUARD}")
    connection.execute("CREATE TEMP TABLE leaving AS SELECT digest FROM held WHERE session = ?", (number,))
    for table in _TABLES:
        connection.execute(f"DELETE FROM {table} WHERE session = ?", (number,))
    forget_session(connection, number)
    connection.execute(f"DELETE FROM contents WHERE {_ORPHANS}")
    if has_purges(connection):
        connection.execute("DELETE FROM purges WHERE session = ?", (number,))
    connection.execute("DELETE FROM sessions WHERE number = ?", (number,))
    mark(connection)
    connection.execute("DROP TABLE temp.leaving")
    if guard is not None:
        connection.execute(guard[0])
