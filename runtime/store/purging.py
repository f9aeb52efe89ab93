"""Purging in the SQLite file: contents are deleted so that no byte of them can be read in it (kernel.md section 3).

Contents are shared by the sessions of a file, forks among them: what one purges is gone for all. Each still knows
that it held the content.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection
from typing import Final

from .postings import forget_contents
from .schema import PATIENCE

_TABLE: Final = "CREATE TABLE IF NOT EXISTS purged (digest BLOB NOT NULL PRIMARY KEY) WITHOUT ROWID"

_HELD: Final = """
SELECT digest FROM held JOIN purged USING (digest)
WHERE session = ? AND NOT EXISTS (SELECT 1 FROM contents WHERE contents.digest = held.digest)
"""

#: A table that is there while bytes of what was deleted may be in the file: whoever opens it next takes them away,
#: should the process that deleted have been killed.
_MARK: Final = "CREATE TABLE IF NOT EXISTS unwiped (mark INTEGER)"

#: Milliseconds that a purge waits for other processes to have read what they are reading.
_WAIT: Final = 1_000


def delete(connection: sqlite3.Connection, session: int, seq: int, digests: Collection[bytes]) -> None:
    """Delete contents, in the transaction that is open. ``seq``: the event after which the session's writing began."""
    connection.execute(_TABLE)
    mark(connection)
    for digest in digests:
        connection.execute("INSERT OR IGNORE INTO purged VALUES (?)", (digest,))
        connection.execute("INSERT OR IGNORE INTO held VALUES (?, ?, ?)", (session, digest, seq))
        connection.execute("DELETE FROM contents WHERE digest = ?", (digest,))
    forget_contents(connection, digests)


def mark(connection: sqlite3.Connection) -> None:
    """Note in the transaction that is open that it deletes, so that :func:`wipe` is not forgotten."""
    connection.execute(_MARK)


def is_unwiped(connection: sqlite3.Connection) -> bool:
    """Whether a deletion was made of which bytes may be left in the file."""
    return connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'unwiped'").fetchone() is not None


def purged_of(connection: sqlite3.Connection, session: int) -> frozenset[bytes]:
    """The digests of the contents that a session held and that were deleted, by whichever session."""
    is_there = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'purged'"
    if connection.execute(is_there).fetchone() is None:
        return frozenset()
    return frozenset(digest for (digest,) in connection.execute(_HELD, (session,)))


def wipe(connection: sqlite3.Connection, *, again: bool) -> bool:
    """Leave no byte of what was deleted in the file or its log; False: another process reads, so some may be left.

    The log is emptied, and the file written anew: what SQLite moved about before the deletion goes too. ``again``:
    it is no first attempt, and waits for nobody.
    """
    connection.execute(f"PRAGMA busy_timeout = {0 if again else _WAIT}")
    try:
        if not _empty_log(connection):
            return False
        connection.execute("VACUUM")
        if not _empty_log(connection):
            return False
        connection.execute("DROP TABLE IF EXISTS unwiped")
        return True
    except sqlite3.Error:
        # Another process writes, or the disk has no room for a second copy.
        return False
    finally:
        connection.execute(f"PRAGMA busy_timeout = {PATIENCE}")


def _empty_log(connection: sqlite3.Connection) -> bool:
    ((is_busy, _, _),) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    return not is_busy
