"""The SQLite file of sessions: its tables, and how it is opened (kernel.md section 7).

The file says what it is (``application_id``) and which version of the tables it has (``user_version``). A foreign
file, or one of a newer version, is refused and never written to.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from ...compiler.reason import reason_of
from ..errors import StoreError

#: "dcc" and a 1, as a number: how SQLite's own header tells our files from others.
APPLICATION_ID: Final = 0x64636301
SCHEMA_VERSION: Final = 1

#: Milliseconds that a writer waits for another process to finish its write.
PATIENCE: Final = 10_000

#: Times that opening is tried again when two processes make the file at once; each waits ``PATIENCE`` at most.
_TRIES: Final = 5

TABLES: Final = """
CREATE TABLE sessions (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  created REAL NOT NULL,
  used REAL NOT NULL
);
CREATE TABLE events (
  session INTEGER NOT NULL, seq INTEGER NOT NULL, row BLOB NOT NULL,
  PRIMARY KEY (session, seq)
) WITHOUT ROWID;
CREATE TRIGGER events_stay BEFORE DELETE ON events BEGIN SELECT RAISE(ABORT, 'events are append-only'); END;
CREATE TRIGGER events_stay_as_they_are BEFORE UPDATE ON events
  BEGIN SELECT RAISE(ABORT, 'events are append-only'); END;
CREATE TABLE contents (digest BLOB NOT NULL PRIMARY KEY, data BLOB NOT NULL);
CREATE TRIGGER contents_stay_as_they_are BEFORE UPDATE ON contents
  BEGIN SELECT RAISE(ABORT, 'contents never change'); END;
CREATE TABLE held (
  session INTEGER NOT NULL, digest BLOB NOT NULL, seq INTEGER NOT NULL,
  PRIMARY KEY (session, digest)
) WITHOUT ROWID;
CREATE TABLE snapshots (
  session INTEGER PRIMARY KEY, seq INTEGER NOT NULL, snapshot BLOB NOT NULL, checksum BLOB NOT NULL
);
CREATE TABLE slots (
  session INTEGER NOT NULL, number INTEGER NOT NULL, id TEXT NOT NULL, element TEXT NOT NULL, line TEXT NOT NULL,
  key TEXT, answers TEXT, wire TEXT, rest_turn INTEGER NOT NULL, rest_call INTEGER NOT NULL, row BLOB NOT NULL,
  PRIMARY KEY (session, number)
) WITHOUT ROWID;
CREATE INDEX slots_by_id ON slots (session, id);
CREATE INDEX slots_by_element ON slots (session, element, number);
CREATE INDEX slots_by_line ON slots (session, line, key, number);
CREATE INDEX slots_by_key ON slots (session, key, number) WHERE key IS NOT NULL;
CREATE INDEX slots_by_call ON slots (session, answers) WHERE answers IS NOT NULL;
CREATE INDEX slots_by_wire ON slots (session, wire) WHERE wire IS NOT NULL;
CREATE INDEX slots_by_turn ON slots (session, rest_turn);
CREATE INDEX slots_by_ordinal ON slots (session, rest_call);
"""


def open_file(path: Path, *, read_only: bool = False) -> sqlite3.Connection:
    """A connection to the file of sessions; it is made when there is none (never ``read_only``).

    What a read-only connection sees is the moment of its opening, whatever others write. Raises StoreError:
    ``no_store``, ``foreign_file``, ``newer_file``, ``busy``, and what :func:`answering` says.
    """
    if read_only and not path.exists():
        raise StoreError("no_store", f"there is no file {path}", help="name the file of sessions: --store FILE")
    if path.exists() and not path.is_file():
        what = "a folder" if path.is_dir() else "a pipe or a device"
        raise StoreError("store_failed", f"{path} is {what}, no file", help="name the file of sessions: --store FILE")
    with answering(path):
        if not path.exists():
            _touch(path)
        if 0 < path.stat().st_size < _LEAST:
            raise _foreign(path)  # SQLite takes a file of a few bytes for an empty one, and writes over them.
        try:
            return _connect(path, "mode=ro" if read_only else "mode=rwc", read_only)
        except sqlite3.OperationalError as error:
            if not read_only or _primary(error) not in _NO_LOG or _log_of(path):
                raise
            # In a folder that may not be written SQLite cannot make the log's index. There is no log to read, so
            # the file alone is all there is, and who wants to change it has to open the folder first.
            return _connect(path, "mode=ro&immutable=1", read_only)


#: The size of the smallest page of a database, in bytes (SQLite's file format, 1.3.2).
_LEAST: Final = 512

#: What SQLite answers when it may not make the files beside its own.
_NO_LOG: Final = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY)


def _connect(path: Path, mode: str, read_only: bool) -> sqlite3.Connection:
    # A session may go from one thread to another; it is never used by two at once.
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?{mode}",
        timeout=PATIENCE / 1000, isolation_level=None, check_same_thread=False, uri=True,
    )  # fmt: skip
    try:
        _prepare(connection, path, read_only)
    except BaseException:
        connection.close()
        raise
    return connection


def _log_of(path: Path) -> bool:
    """Whether there is a log with anything in it beside the file."""
    try:
        return os.stat(f"{path}-wal").st_size > 0
    except FileNotFoundError:
        return False


def _touch(path: Path) -> None:
    """Make an empty file for its owner alone: sessions hold what people typed."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    except OSError as error:
        raise StoreError(
            "store_failed", f"{path} cannot be made: {reason_of(error)}",
            help="check that its folder exists",
        ) from None  # fmt: skip


def _prepare(connection: sqlite3.Connection, path: Path, read_only: bool) -> None:
    if read_only:
        connection.execute("BEGIN")
        if not _is_ours(connection, path):
            # Nothing is in it, as where its making was cut short: a full disk, a process that was killed.
            raise StoreError("no_store", f"{path} holds no sessions yet", help="begin one: dcc chat, or dcc run PROMPT")
        return
    # All of it is read at one moment: another process may be making the tables just now.
    connection.execute("BEGIN")
    is_ours = _is_ours(connection, path)
    connection.execute("COMMIT")
    if not is_ours:
        _make(connection, path)
    # Write-ahead log: readers never wait. FULL: what is acknowledged has reached the disk.
    connection.execute("PRAGMA synchronous = FULL")
    # What is deleted is overwritten: a redaction leaves nothing to read (kernel.md section 3).
    connection.execute("PRAGMA secure_delete = ON")


def _is_ours(connection: sqlite3.Connection, path: Path) -> bool:
    """Whether the file holds sessions; False for an empty one. Raises StoreError for any other."""
    ((application,),) = connection.execute("PRAGMA application_id").fetchall()
    ((version,),) = connection.execute("PRAGMA user_version").fetchall()
    if application == APPLICATION_ID:
        if version > SCHEMA_VERSION:
            raise StoreError(
                "newer_file", f"{path} was written by a newer dcc (tables of version {version})",
                help=f"install that dcc; this one reads version {SCHEMA_VERSION}",
            )  # fmt: skip
        return True
    ((tables,),) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchall()
    if application or tables:
        raise _foreign(path)
    return False


def _foreign(path: Path) -> StoreError:
    return StoreError("foreign_file", f"{path} holds no sessions of dcc", help="name another file: --store FILE")


def _make(connection: sqlite3.Connection, path: Path) -> None:
    """Make the tables, unless another process was first."""
    _use_log(connection)
    connection.execute("BEGIN IMMEDIATE")
    try:
        if not _is_ours(connection, path):
            for statement in _statements(TABLES):
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:  # SQLite takes some back by itself: a disk that is full.
            connection.execute("ROLLBACK")
        raise


def _use_log(connection: sqlite3.Connection) -> None:
    """Turn the write-ahead log on: for good, the file remembers it. SQLite does not wait here by itself."""
    for left in reversed(range(_TRIES)):
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if not left or not is_busy(error):
                raise
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("ROLLBACK")


def _statements(script: str) -> Iterator[str]:
    """The statements of a script, one by one (``executescript`` would commit what has begun)."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


def is_busy(error: sqlite3.Error) -> bool:
    """Whether an error says that another process is writing."""
    return _primary(error) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def _primary(error: sqlite3.Error) -> int:
    """The primary result code of an error; its low byte."""
    code: int = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
    return code & 0xFF


@contextmanager
def answering(path: Path) -> Iterator[None]:
    """Say what SQLite's errors mean, as StoreError: ``busy``, ``foreign_file``, ``damaged_file``, ``store_failed``.

    ``bad_text``: an id or a name that is no Unicode text (a command line in another encoding).
    """
    try:
        yield
    except UnicodeEncodeError as error:
        message = f"{error.object[:40]!r} is no Unicode text and cannot be stored"
        raise StoreError("bad_text", message, help="choose another id or name") from None
    except UnicodeDecodeError as error:
        # Damaged text, be it in what SQLite has to say about it.
        raise _damaged(path, error) from error
    except sqlite3.Error as error:
        raise _told(error, path) from error


def _damaged(path: Path, error: Exception) -> StoreError:
    help = "take a copy of it, then save what can be read: sqlite3 FILE .recover"
    return StoreError("damaged_file", f"{path} is damaged: {error}", help=help)


def _told(error: sqlite3.Error, path: Path) -> StoreError:
    if is_busy(error):
        return StoreError(
            "busy", f"another process has been writing to {path} for {PATIENCE // 1000} seconds",
            help="wait until it is done, and try again",
        )  # fmt: skip
    if isinstance(error, sqlite3.ProgrammingError) and "closed" in str(error):
        return StoreError("store_failed", f"the store of {path} is closed", help="open the session again")
    match _primary(error):
        case sqlite3.SQLITE_NOTADB:
            return _foreign(path)
        case sqlite3.SQLITE_CORRUPT:
            return _damaged(path, error)
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM:
            return StoreError("store_failed", f"{path} may not be written: {error}", help="check its permissions")
        case sqlite3.SQLITE_CANTOPEN:
            if path.exists() and not os.access(path.parent, os.W_OK):
                # SQLite keeps files of its own beside it.
                help = "check the permissions of the folder, and whether its disk may be written"
                return StoreError("store_failed", f"{path} cannot be written to: its folder is read-only", help=help)
            return StoreError("store_failed", f"{path} cannot be opened", help="check that its folder exists")
        case _:
            return StoreError("store_failed", f"{path}: {error}", help="check the disk, and try again")
