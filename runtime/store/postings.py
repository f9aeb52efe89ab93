"""The tables of the recall index, and its postings block by block (see ``recall``)."""

from __future__ import annotations

import sqlite3
import zlib
from array import array
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any, Final

from ..recall.index import DamagedIndex
from .buckets import BLOCK, RUNS, offsets_of, pack, posting_of, split, unpack

#: Of the index as it is stored. Version 1 had a row for each token: ``token`` named it, and the checksum was another.
#: So whichever dcc meets what the other has stored finds it damaged, and forgets all of it before it deletes a word.
VERSION: Final = 2

#: The most buckets that one query names: SQLite takes 999 values in its oldest versions.
_ASKED: Final = 500

#: ``token`` is the number of a bucket, ``documents`` how many runs it is made of, ``numbers`` the runs.
TABLES: Final = (
    """CREATE TABLE IF NOT EXISTS recall (
      session INTEGER PRIMARY KEY, version INTEGER NOT NULL, seq INTEGER NOT NULL, documents INTEGER NOT NULL,
      newest INTEGER NOT NULL, checksum INTEGER NOT NULL)""",
    """CREATE TABLE IF NOT EXISTS recall_documents (
      session INTEGER NOT NULL, number INTEGER NOT NULL, slot TEXT NOT NULL, element TEXT NOT NULL,
      turn INTEGER NOT NULL, newest INTEGER NOT NULL, digest BLOB NOT NULL,
      PRIMARY KEY (session, number)) WITHOUT ROWID""",
    """CREATE TABLE IF NOT EXISTS recall_postings (
      session INTEGER NOT NULL, block INTEGER NOT NULL, token TEXT NOT NULL, documents INTEGER NOT NULL,
      checksum INTEGER NOT NULL, numbers BLOB NOT NULL,
      PRIMARY KEY (session, block, token)) WITHOUT ROWID""",
)

#: Its tables; every row names its session.
_NAMES: Final = ("recall", "recall_documents", "recall_postings")


def forget_session(connection: sqlite3.Connection, session: int) -> None:
    """Delete the index of a session, if it has one, in the transaction that is open."""
    if _is_there(connection):
        for table in _NAMES:
            connection.execute(f"DELETE FROM {table} WHERE session = ?", (session,))


def forget_contents(connection: sqlite3.Connection, digests: Iterable[bytes]) -> None:
    """Delete all documents with these contents, and every token that only they held, in the transaction that is open.

    Contents are shared by the sessions of a file, so those of every session go.
    """
    if not _is_there(connection):
        return
    numbers: dict[int, list[int]] = {}
    for digest in digests:
        query = "SELECT session, number FROM recall_documents WHERE digest = ?"
        for session, number in connection.execute(query, (digest,)):
            numbers.setdefault(session, []).append(number)
    for session, gone in numbers.items():
        try:
            forget_documents(connection, session, gone)
        except DamagedIndex:
            # Nothing of it may stay: it is made anew.
            forget_session(connection, session)


def copy_index(connection: sqlite3.Connection, old: int, new: int, last: int) -> None:
    """Give the index of a session to its copy, if it knows of no event after ``last``; in the open transaction."""
    if not _is_there(connection):
        return
    known = connection.execute("SELECT seq FROM recall WHERE session = ?", (old,)).fetchone()
    if known is None or known[0] > last:
        return
    for table in _NAMES:
        columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})") if row[1] != "session"]
        names = ", ".join(columns)
        connection.execute(
            f"INSERT INTO {table} (session, {names}) SELECT ?, {names} FROM {table} WHERE session = ?", (new, old)
        )


def _is_there(connection: sqlite3.Connection) -> bool:
    return connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'recall_postings'").fetchone() is not None


def merge(
    connection: sqlite3.Connection, session: int, postings: Iterable[tuple[str, array[int] | int]], base: int
) -> None:
    """Add documents, newer than all that are stored, to the postings of tokens; ``base`` is added to their numbers.

    Raises DamagedIndex.
    """
    for block, coming in split(postings, base).items():
        changed = {bucket: (1, pack(newer)) for bucket, newer in coming.items()}
        for bucket, runs, data in buckets_of(connection, session, block, coming):
            data += changed[bucket][1]
            changed[bucket] = (runs + 1, data) if runs < RUNS else (1, pack(unpack(data)))
        _put(connection, session, block, changed)


def forget_documents(connection: sqlite3.Connection, session: int, numbers: list[int]) -> None:
    """Take documents out of all postings of their blocks; a posting that is empty then goes. Raises DamagedIndex."""
    for block, part in groupby(sorted(numbers), lambda number: number // BLOCK):
        gone = {number % BLOCK for number in part}
        left: dict[int, dict[str, bytes]] = {}
        for bucket, _, data in buckets_of(connection, session, block):
            held = unpack(data)
            spared = {token: _without(posting, gone) for token, posting in held.items()}
            if spared != held:
                left[bucket] = {token: posting for token, posting in spared.items() if posting}
        _put(connection, session, block, {bucket: (1, pack(held)) for bucket, held in left.items() if held})
        connection.executemany(
            "DELETE FROM recall_postings WHERE session = ? AND block = ? AND token = ?",
            ((session, block, str(bucket)) for bucket, held in left.items() if not held),
        )
    connection.executemany(
        "DELETE FROM recall_documents WHERE session = ? AND number = ?", ((session, number) for number in numbers)
    )


def buckets_of(
    connection: sqlite3.Connection, session: int, block: int, buckets: Iterable[int] | None = None
) -> Iterator[tuple[int, int, bytes]]:
    """The buckets of a block that are stored (None: all): number, how many runs, the runs. Raises DamagedIndex."""
    query = "SELECT token, documents, checksum, numbers FROM recall_postings WHERE session = ? AND block = ?"
    if buckets is None:
        yield from map(_checked, connection.execute(query, (session, block)))
        return
    names = sorted(map(str, buckets))
    for at in range(0, len(names), _ASKED):
        asked = names[at : at + _ASKED]
        within = f"{query} AND token IN ({', '.join('?' * len(asked))})"
        yield from map(_checked, connection.execute(within, (session, block, *asked)))


def _without(posting: bytes, gone: set[int]) -> bytes:
    """A posting without some documents."""
    offsets = offsets_of(posting)
    return posting if gone.isdisjoint(offsets) else posting_of([n for n in offsets if n not in gone])


def _put(connection: sqlite3.Connection, session: int, block: int, buckets: Mapping[int, tuple[int, bytes]]) -> None:
    """Store buckets: of each how many runs, and the runs."""
    connection.executemany(
        "INSERT OR REPLACE INTO recall_postings VALUES (?, ?, ?, ?, ?, ?)",
        sorted((session, block, str(n), runs, _sum(str(n), runs, data), data) for n, (runs, data) in buckets.items()),
    )


def _checked(row: tuple[Any, ...]) -> tuple[int, int, bytes]:
    """What a row holds. Raises DamagedIndex."""
    bucket, runs, checksum, data = row
    if not isinstance(data, bytes) or _sum(bucket, runs, data) != checksum:
        raise DamagedIndex(f"bucket {bucket!r} is damaged")
    return int(bucket), runs, data


def _sum(bucket: str, runs: int, data: bytes) -> int:
    return zlib.crc32(data, zlib.crc32(f"{VERSION}:{bucket}:{runs}".encode("utf-8", "surrogatepass")))
