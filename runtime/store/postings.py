"""The tables of the recall index, and its postings block by block (see ``recall``)."""

from __future__ import annotations

import sqlite3
import struct
import zlib
from collections.abc import Iterable
from itertools import groupby
from typing import Final

from ..recall.index import DamagedIndex, numbers_of

#: Documents in a block, and bytes of its bit set: some two kilobytes, read at once.
BLOCK: Final = 16_384
WIDTH: Final = BLOCK // 8

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


def merge(connection: sqlite3.Connection, session: int, token: str, numbers: list[int]) -> None:
    """Add documents, ascending and newer than all that are stored, to the posting of a token."""
    for block, part in groupby(numbers, lambda number: number // BLOCK):
        row = connection.execute(
            "SELECT documents, checksum, numbers FROM recall_postings WHERE session = ? AND block = ? AND token = ?",
            (session, block, token),
        ).fetchone()
        before = checked(token, *row) if row is not None else b""
        _put(connection, session, block, token, before, [number % BLOCK for number in part])


def forget_documents(connection: sqlite3.Connection, session: int, numbers: list[int]) -> None:
    """Take documents out of all postings of their blocks; a posting that is empty then goes."""
    for block, part in groupby(sorted(numbers), lambda number: number // BLOCK):
        gone = {number % BLOCK for number in part}
        rows = connection.execute(
            "SELECT token, documents, checksum, numbers FROM recall_postings WHERE session = ? AND block = ?",
            (session, block),
        ).fetchall()
        for token, *row in rows:
            offsets = _offsets(checked(token, *row))
            if not gone.isdisjoint(offsets):
                _put(connection, session, block, token, b"", [n for n in offsets if n not in gone])
    connection.executemany(
        "DELETE FROM recall_documents WHERE session = ? AND number = ?", ((session, number) for number in numbers)
    )


def _put(
    connection: sqlite3.Connection, session: int, block: int, token: str, before: bytes, offsets: list[int]
) -> None:
    """Store a posting: what was stored of it before, and the documents that come to it."""
    if len(before) < WIDTH and len(before) + 2 * len(offsets) < WIDTH:
        data = before + struct.pack(f"<{len(offsets)}H", *offsets)
        documents = len(data) // 2
    else:
        room = bytearray(WIDTH)
        lay(room, 0, before)
        lay(room, 0, struct.pack(f"<{len(offsets)}H", *offsets), as_list=True)
        data = bytes(room)
        documents = int.from_bytes(data, "little").bit_count()
    if data:
        values = (session, block, token, documents, _sum(token, documents, data), data)
        connection.execute("INSERT OR REPLACE INTO recall_postings VALUES (?, ?, ?, ?, ?, ?)", values)
    else:
        gone = "DELETE FROM recall_postings WHERE session = ? AND block = ? AND token = ?"
        connection.execute(gone, (session, block, token))


def checked(token: str, documents: object, checksum: object, data: object) -> bytes:
    """The numbers of a row. Raises DamagedIndex."""
    if not isinstance(data, bytes) or not isinstance(documents, int) or _sum(token, documents, data) != checksum:
        raise DamagedIndex(f"the posting of {token!r} is damaged")
    return data


def _sum(token: str, documents: int, data: bytes) -> int:
    return zlib.crc32(data, zlib.crc32(f"{token}:{documents}".encode("utf-8", "surrogatepass")))


def lay(room: bytearray, at: int, data: bytes, *, as_list: bool = False) -> None:
    """Set the bits of a posting of one block in the room of many, ``at`` bytes from its beginning."""
    if len(data) == WIDTH and not as_list:
        room[at : at + WIDTH] = data
        return
    for (offset,) in struct.iter_unpack("<H", data):
        room[at + (offset >> 3)] |= 1 << (offset & 7)


def _offsets(data: bytes) -> list[int]:
    """The documents of a posting of one block, ascending."""
    if len(data) == WIDTH:
        return numbers_of(int.from_bytes(data, "little"))
    return [offset for (offset,) in struct.iter_unpack("<H", data)]
