"""The store in one SQLite file: many sessions, each with one writer at a time (kernel.md sections 3 and 7)."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

from ..errors import StoreError, purged_content
from ..kernel.clock import Clock, SystemClock
from ..kernel.containing import Finder
from ..kernel.index import SlotRow
from .interface import Saved
from .purging import date_births, delete, is_unwiped, purged_of, remember, wipe
from .recall import StoredRecall
from .schema import answering, open_file
from .slots import StoredIndex

#: Events after which a snapshot is written: folding so many takes some hundredths of a second.
EVERY: Final = 2_000

#: Rows that are read at once.
_PAGE: Final = 512


class StoredSnapshot(NamedTuple):
    """A snapshot in the file: of which event, its text, and whether that has the checksum it was written with."""

    seq: int
    text: bytes
    is_whole: bool


class SqliteStore:
    """One session in the file ``path``.

    ``session`` is its id; the session is made with the first write when the file has none of that id, under the
    ``name`` given. ``read_only``: the session as it is now, whatever others write meanwhile. ``every``: see
    ``Store.every``. Raises StoreError as ``schema.open_file`` does, and ``unknown_session`` (read-only).
    """

    def __init__(
        self,
        path: Path | str,
        session: str,
        *,
        name: str = "",
        read_only: bool = False,
        every: int = EVERY,
        clock: Clock | None = None,
    ) -> None:
        self.path = Path(path)
        self.session = session
        self._name = name
        self._clock = clock or SystemClock()
        self._read_only = read_only
        self._every = every
        self._connection = open_file(self.path, read_only=read_only)
        self._whole_path = self.path.absolute()
        self._file = _identity(self._whole_path)
        with self._asking():
            found = self._connection.execute("SELECT number FROM sessions WHERE id = ?", (session,)).fetchone()
        #: The session's number in the file; 0 before its first write.
        self._number: int = found[0] if found else 0
        self._index: StoredIndex | None = None
        # Whether bytes of a deleted content may still be in the file: another process was reading, or one was killed.
        self._left_over = False
        if not read_only:
            with self._asking():
                self._left_over = is_unwiped(self._connection) and not wipe(self._connection, again=True)
        self._recall: StoredRecall | None = None
        if read_only and not found:
            self.close()
            raise StoreError(
                "unknown_session", f"{path} has no session {session!r}", help="dcc sessions list shows them"
            )

    @property
    def every(self) -> int | None:
        """How many events may lie between two snapshots; None: nothing is written."""
        return None if self._read_only else self._every

    @property
    def last(self) -> int:
        """The seq of the last row; 0: there is no session yet."""
        with self._asking():
            return self._last()

    def append(
        self, after: int, rows: Sequence[bytes], contents: Mapping[bytes, bytes], purge: Collection[bytes] = ()
    ) -> None:
        """Write rows and contents in one step (see ``Store.append``)."""
        if self._read_only:
            raise StoreError("read_only", f"{self.path} was opened for reading only", help="open it for writing")
        if _identity(self._whole_path) != self._file:
            # SQLite would go on with a file that has no name any more, and all of it would be lost at the end.
            raise StoreError(
                "file_gone", f"{self.path} was removed or replaced while this process used it; nothing more is written",
                help="put the file back and open it again, or begin anew: then what you see here is all that is left",
            )  # fmt: skip
        with self._asking(), self._writing():
            number = self._number or self._enrol()
            last = self._last(number)
            if after != last:
                if not last:
                    raise self._deleted()
                raise StoreError(
                    "seq_conflict",
                    f"session {self.session} has {last} events, the writer expected {after}: another writer was first",
                    help="open the session again; what was not written can be repeated",
                )
            first = after + 1
            self._connection.executemany(
                "INSERT INTO events VALUES (?, ?, ?)", ((number, first + i, row) for i, row in enumerate(rows))
            )
            if purge and after:
                delete(self._connection, number, first, purge)
            elif purge:
                # It comes from elsewhere and had lost these before: what other sessions hold here is theirs.
                remember(self._connection, number, first, purge)
            self._connection.executemany("INSERT OR IGNORE INTO contents VALUES (?, ?)", contents.items())
            self._connection.executemany(
                "INSERT OR IGNORE INTO held VALUES (?, ?, ?)", ((number, digest, first) for digest in contents)
            )
            if not after:
                date_births(self._connection, number, rows)
            used = "UPDATE sessions SET used = ? WHERE number = ? AND id = ?"
            if not self._connection.execute(used, (self._clock.now(), number, self.session)).rowcount:
                raise self._deleted()
        self._number = number
        deletes = bool(purge) and after > 0
        if deletes or self._left_over:
            self._left_over = not wipe(self._connection, again=not deletes)

    def rows(self, after: int = 0) -> Iterator[bytes]:
        """The rows with a seq above ``after``, in order."""
        page = "SELECT seq, row FROM events WHERE session = ? AND seq > ? ORDER BY seq LIMIT ?"
        while True:
            with self._asking():
                found = self._connection.execute(page, (self._number, after, _PAGE)).fetchall()
            yield from (row for _, row in found)
            if len(found) < _PAGE:
                return
            after = found[-1][0]

    def content(self, digest: bytes) -> bytes:
        """The encoded content of a digest (see ``Store.content``)."""
        held = "SELECT data FROM held JOIN contents USING (digest) WHERE session = ? AND digest = ?"
        with self._asking():
            found = self._connection.execute(held, (self._number, digest)).fetchone()
            is_purged = found is None and digest in purged_of(self._connection, self._number)
            is_deleted = found is None and self._number and not self._last()
        if is_purged:
            raise purged_content(digest)
        if is_deleted:
            raise self._deleted()
        if found is None:
            raise StoreError(
                "missing_content", f"session {self.session} has no content with the digest {digest.hex()[:16]}",
                help=f"dcc verify {self.session} tells what else is damaged",
            )  # fmt: skip
        data: bytes = found[0]
        if hashlib.sha256(data).digest() != digest:
            raise StoreError(
                "damaged_content", f"the content {digest.hex()[:16]} of session {self.session} is damaged",
                help=f"dcc verify {self.session} tells what else is damaged",
            )  # fmt: skip
        return data

    def find(self, prefix: bytes) -> list[bytes]:
        """The digests of the session that start with ``prefix``, of purged contents too."""
        like = "SELECT digest FROM held WHERE session = ? AND digest BETWEEN ? AND ?"
        upper = prefix + b"\xff" * (32 - len(prefix))
        with self._asking():
            held = [digest for (digest,) in self._connection.execute(like, (self._number, prefix, upper))]
            lost = [digest for digest in purged_of(self._connection, self._number) if digest.startswith(prefix)]
        return sorted([*held, *lost])

    def save(self, seq: int, snapshot: bytes, slots: Iterable[SlotRow], *, whole: bool) -> bool:
        """Keep a snapshot (see ``Store.save``)."""
        if self._read_only:
            return False
        with self._asking(), self._writing():
            number = self._number
            if self._last(number) != seq:
                return False
            if whole:
                self._connection.execute("DELETE FROM slots WHERE session = ?", (number,))
            self._connection.executemany(
                f"INSERT OR REPLACE INTO slots VALUES (?{', ?' * len(SlotRow._fields)})",
                ((number, *slot) for slot in slots),
            )
            self._connection.execute(
                "INSERT OR REPLACE INTO snapshots VALUES (?, ?, ?, ?)", (number, seq, snapshot, _checksum(snapshot))
            )
        if self._index is not None:
            self._index.seq = seq
        return True

    def saved(self) -> Saved | None:
        """The snapshot that was kept last, if it and the slots' table are whole (see ``Store.saved``)."""
        found = self.snapshot()
        if found is None or not found.is_whole or found.seq > self.last:
            return None
        self._index = StoredIndex(self._connection, self.path, self._number, found.seq)
        return Saved(found.text, self._index)

    def snapshot(self) -> StoredSnapshot | None:
        """The snapshot as it stands in the file, damaged or not."""
        newest = "SELECT seq, snapshot, checksum FROM snapshots WHERE session = ?"
        with self._asking():
            found = self._connection.execute(newest, (self._number,)).fetchone()
        return StoredSnapshot(found[0], found[1], _checksum(found[1]) == found[2]) if found else None

    def slot_rows(self) -> Iterator[SlotRow]:
        """The slots as the snapshots left them, by birth."""
        query = f"SELECT {', '.join(SlotRow._fields)} FROM slots WHERE session = ? ORDER BY number"
        return (SlotRow(*row) for row in self._walk(query, self._number))

    def held(self) -> Iterator[tuple[bytes, bytes]]:
        """The contents of the session by digest: (digest, encoded content)."""
        query = "SELECT digest, data FROM held JOIN contents USING (digest) WHERE session = ? ORDER BY digest"
        return self._walk(query, self._number)

    @property
    def purged(self) -> frozenset[bytes]:
        """The digests of contents that the session held and lost (see ``Store.purged``)."""
        with self._asking():
            return purged_of(self._connection, self._number)

    def holding(self, *values: str) -> list[bytes]:
        """The digests of contents in which one of the values occurs (see ``Store.holding``)."""
        finder = Finder(values)
        return [digest for digest, data in self.held() if finder.is_in(data)]

    def called(self, digests: Collection[bytes]) -> list[tuple[str, str]]:
        """What the session is called, and those that would lose a content with it (see ``Store.called``)."""
        holders = "SELECT DISTINCT id, name FROM sessions JOIN held ON number = session WHERE digest = ?"
        with self._asking():
            own = self._connection.execute("SELECT name FROM sessions WHERE number = ?", (self._number,)).fetchone()
            others = {row for digest in digests for row in self._connection.execute(holders, (digest,))}
        found = [("the id of the session", self.session), ("the name of the session", own[0] if own else self._name)]
        for id, name in sorted(others):
            if id != self.session:
                found += [("the id of another session", id), ("the name of another session", name)]
        return found

    def check_file(self) -> str | None:
        """What SQLite itself finds wrong with the whole file; None: nothing."""
        ((found,),) = self._walk("PRAGMA quick_check(1)")
        return None if found == "ok" else str(found)

    def recall(self) -> StoredRecall:
        """See ``Store.recall``."""
        if self._recall is None:
            may_write = not self._read_only
            self._recall = StoredRecall(self._connection, self.path, lambda: self._number, may_write=may_write)
        return self._recall

    def close(self) -> None:
        """Let go of the file."""
        if self._left_over:
            wipe(self._connection, again=True)
        self._connection.close()

    def _walk(self, query: str, *values: Any) -> Iterator[Any]:
        """The rows of a query, some hundred at a time."""
        with self._asking():
            cursor = self._connection.execute(query, values)
            while page := cursor.fetchmany(_PAGE):
                yield from page

    def _last(self, number: int | None = None) -> int:
        last = "SELECT max(seq) FROM events WHERE session = ?"
        found = self._connection.execute(last, (self._number if number is None else number,)).fetchone()
        return found[0] or 0

    def _enrol(self) -> int:
        """The number of the session, which another writer may have made meanwhile."""
        now = self._clock.now()
        self._connection.execute(
            "INSERT OR IGNORE INTO sessions (id, name, created, used) VALUES (?, ?, ?, ?)",
            (self.session, self._name, now, now),
        )
        number: int = self._connection.execute(
            "SELECT number FROM sessions WHERE id = ?", (self.session,)
        ).fetchone()[0]
        return number

    def _deleted(self) -> StoreError:
        message = f"session {self.session} was deleted meanwhile"
        return StoreError("seq_conflict", message, help="begin a new one; what was not written can be repeated")

    @contextmanager
    def _asking(self) -> Iterator[None]:
        with answering(self.path):
            yield

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """One transaction: all of it, or nothing."""
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._connection.execute("COMMIT")
        except BaseException:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            raise


def _identity(path: Path) -> tuple[int, int] | None:
    """Which file a name stands for now (device and number); None: none."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _checksum(snapshot: bytes) -> bytes:
    return hashlib.sha256(snapshot).digest()
