"""Purging in the SQLite file: contents are deleted so that no byte of them can be read in it (kernel.md section 3).

Contents are shared by the sessions of a file, forks among them: what one purges is gone for all. Each still knows
that it held the content. When the same bytes are born again, they are the content of the session that bore them: the
others have lost it all the same.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Sequence
from typing import Final

from ..kernel.events import Event
from .postings import forget_contents
from .schema import PATIENCE

#: What a session has lost, and since which event it had held it.
_TABLE: Final = """CREATE TABLE IF NOT EXISTS purges (
  session INTEGER NOT NULL, digest BLOB NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (session, digest)) WITHOUT ROWID"""

_LOST: Final = """
SELECT digest FROM purges AS lost
WHERE session = ? AND NOT EXISTS (SELECT 1 FROM held WHERE session = lost.session AND digest = lost.digest)
"""

#: The same in a file whose deletions were made before each session had rows of its own for them.
_LOST_BEFORE: Final = """
SELECT digest FROM held JOIN purged USING (digest)
WHERE session = ? AND NOT EXISTS (SELECT 1 FROM contents WHERE contents.digest = held.digest)
"""

#: A table that is there while bytes of what was deleted may be in the file: whoever opens it next takes them away,
#: should the process that deleted have been killed.
_MARK: Final = "CREATE TABLE IF NOT EXISTS unwiped (mark INTEGER)"

#: Milliseconds that a purge waits for other processes to have read what they are reading.
_WAIT: Final = 1_000


def delete(connection: sqlite3.Connection, session: int, seq: int, digests: Collection[bytes]) -> None:
    """Delete contents, in the transaction that is open. ``seq``: the event after which the session's writing began.

    What the session has lost before is passed over: it only says so now, and others may have borne it again.
    """
    connection.execute(_TABLE)
    mark(connection)
    digests = set(digests) - purged_of(connection, session)
    for digest in digests:
        lose = "INSERT OR IGNORE INTO purges SELECT session, digest, seq FROM held WHERE digest = ?"
        connection.execute(lose, (digest,))
        connection.execute("DELETE FROM held WHERE digest = ?", (digest,))
        connection.execute("DELETE FROM contents WHERE digest = ?", (digest,))
    remember(connection, session, seq, digests)
    forget_contents(connection, digests)


def remember(connection: sqlite3.Connection, session: int, seq: int, digests: Collection[bytes]) -> None:
    """Note what a session has lost, in the open transaction; nothing is deleted. ``seq``: see :func:`delete`."""
    connection.execute(_TABLE)
    connection.executemany(
        "INSERT OR IGNORE INTO purges VALUES (?, ?, ?)", ((session, digest, seq) for digest in digests)
    )


def date_births(connection: sqlite3.Connection, session: int, rows: Sequence[bytes]) -> None:
    """Tell of a session that came from elsewhere since when it holds what it had lost and has borne again.

    In the open transaction, after all its rows (from event 1 on) and contents: a fork of it at an earlier turn has lost
    that content, and does not hold it yet.
    """
    lost: dict[bytes, int] = {}
    for seq, row in enumerate(rows, start=1):
        if b"purged" in row and (event := Event.from_row(row)).kind == "purged":
            lost.update((bytes.fromhex(digest), seq) for digest in event.data["digests"])
    for digest, seq in lost.items():
        named = [n for n, row in enumerate(rows, start=1) if digest.hex().encode() in row]
        remember(connection, session, min(named), [digest])
        # What no event names again, an argument of a call, is only held at the end.
        again = next((n for n in named if n > seq), len(rows))
        connection.execute("UPDATE held SET seq = ? WHERE session = ? AND digest = ?", (again, session, digest))


def copy_purges(connection: sqlite3.Connection, old: int, new: int, last: int) -> None:
    """Tell a copy of a session, up to the event ``last``, what the session has lost; in the open transaction."""
    if has_purges(connection):
        lost = "INSERT INTO purges SELECT ?, digest, seq FROM purges WHERE session = ? AND seq <= ?"
        connection.execute(lost, (new, old, last))


def has_purges(connection: sqlite3.Connection) -> bool:
    """Whether anything was ever purged in the file."""
    return _is_there(connection, "purges")


def mark(connection: sqlite3.Connection) -> None:
    """Note in the transaction that is open that it deletes, so that :func:`wipe` is not forgotten."""
    connection.execute(_MARK)


def is_unwiped(connection: sqlite3.Connection) -> bool:
    """Whether a deletion was made of which bytes may be left in the file."""
    return _is_there(connection, "unwiped")


def purged_of(connection: sqlite3.Connection, session: int) -> frozenset[bytes]:
    """The digests of the contents that a session held and has lost, by whichever session, and not borne again."""
    tables = {"purges": _LOST, "purged": _LOST_BEFORE}
    queries = [query for table, query in tables.items() if _is_there(connection, table)]
    return frozenset(digest for query in queries for (digest,) in connection.execute(query, (session,)))


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


def _is_there(connection: sqlite3.Connection, table: str) -> bool:
    return connection.execute("SELECT 1 FROM sqlite_schema WHERE name = ?", (table,)).fetchone() is not None


def _empty_log(connection: sqlite3.Connection) -> bool:
    ((is_busy, _, _),) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    return not is_busy
