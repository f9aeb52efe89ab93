"""The recall index of a session in its SQLite file: what has been filed is read from there, token by token.

Documents are numbered by birth and kept in **blocks** of ``BLOCK``: a posting is of one block and token, the
numbers in it as a list or, when they are many, as a bit set. So filing changes the last block alone, and forgetting
a document the one that it is in. Some postings of a block share a row, a **bucket**. What was filed since the last
``save`` is in memory.

The tables are made with the first save. All in them can be made anew from the events, so whatever is damaged or of
an unknown version is, in silence; each row carries a checksum.
"""

from __future__ import annotations

import sqlite3
import struct
import zlib
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any, Final, NamedTuple

from ..recall.index import QUERY_LIMIT, DamagedIndex, Document, Found, MemoryIndex, best, numbers_of, rarest
from .buckets import BLOCK, WIDTH, bucket_of, lay, offsets_of, posting_in, size_of, unpack
from .postings import TABLES, VERSION, buckets_of, forget_documents, forget_session, merge
from .schema import answering

#: Documents whose rows are read at once.
_PAGE: Final = 64

#: What stands before the name of an element, which has a posting as tokens have; no token holds it.
_ELEMENT: Final = "@"


class _State(NamedTuple):
    """What is stored: births up to the event ``seq``, in so many documents, of turns up to ``newest``."""

    seq: int = 0
    documents: int = 0
    newest: int = 0

    @property
    def checksum(self) -> int:
        return zlib.crc32(struct.pack("<4Q", VERSION, *self))


class StoredRecall:
    """The recall index of a session in a file (see ``recall.index.Index``).

    ``session`` gives the number of the session in the file, 0 while it has none; without ``may_write`` nothing is
    ever saved.
    """

    def __init__(
        self, connection: sqlite3.Connection, path: Path, session: Callable[[], int], *, may_write: bool
    ) -> None:
        self._connection = connection
        self._path = path
        self._session = session
        self._may_write = may_write
        self._is_anew = False
        self._begin(self._stored())

    def _begin(self, state: _State) -> None:
        """Go on from what is stored."""
        self._state = state
        self._fresh = MemoryIndex(state.newest)
        self._digests: list[bytes] = []
        self._gone: set[int] = set()
        self._pages: dict[int, dict[int, tuple[Document, int]]] = {}
        self.seq = state.seq

    def refresh(self) -> None:
        """See ``Index.refresh``."""
        if not self._is_anew and (stored := self._stored()) != self._state:
            self._begin(stored)

    def add(self, document: Document, tokens: Iterable[str], digest: bytes = b"") -> None:
        """See ``Index.add``."""
        self._fresh.add(document, tokens)
        self._digests.append(digest)

    def purge(self, slot: str) -> None:
        """See ``Index.purge``; what is stored of it leaves with the next save."""
        self._fresh.purge(slot)
        if self._state.documents:
            numbers = "SELECT number FROM recall_documents WHERE session = ? AND slot = ?"
            self._gone.update(number for (number,) in self._read(numbers, slot))

    def search(self, tokens: Iterable[str], elements: Iterable[str] | None) -> Iterator[Found]:
        """See ``Index.search``."""
        base, fresh = self._state.documents, self._fresh
        known = list(set(tokens))
        if len(known) > QUERY_LIMIT:
            known = rarest(self._frequencies(known))
        within = (1 << base + len(fresh.documents)) - 1
        if elements is not None:
            names = list(set(elements))
            filed = self._bits([_ELEMENT + name for name in names])
            within = 0
            for name, bits in zip(names, filed, strict=True):
                within |= bits | fresh.of_element(name) << base
        for number in self._gone:
            within &= ~(1 << number)
        postings = (bits | fresh.holding(token) << base for token, bits in zip(known, self._bits(known), strict=True))
        return best([posting for posting in postings if posting], within, self._entry)

    def holdings(self) -> Iterator[tuple[str, set[str]]]:
        """Every token, and the slots that it finds, from the file and from memory. Raises DamagedIndex."""
        base, fresh = self._state.documents, self._fresh
        # Before the first saving there is no table to read.
        slots = dict(self._read("SELECT number, slot FROM recall_documents WHERE session = ?")) if base else {}
        slots |= {base + n: document.slot for n, document in enumerate(fresh.documents)}
        found: dict[str, list[int]] = defaultdict(list)
        for block, _, data in self._buckets():
            for token, posting in unpack(data).items():
                found[token] += (block * BLOCK + offset for offset in offsets_of(posting))
        for token, filed in fresh.postings():
            found[token] += numbers_of(filed, base)
        for token in sorted(found):
            if not token.startswith(_ELEMENT):
                numbers = [n for n in found[token] if n not in self._gone]
                if not slots.keys() >= set(numbers):
                    raise DamagedIndex(f"a document of {token!r} is missing")
                yield token, {slots[number] for number in numbers}

    def clear(self) -> None:
        """See ``Index.clear``."""
        self._is_anew = True
        self._begin(_State())

    def save(self) -> None:
        """See ``Index.save``. Nothing is done when another process has gone on with the session."""
        if not self._may_write or not self._session() or (self.seq == self._state.seq and not self._gone):
            return
        with answering(self._path):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                saved = self._write()
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise
        if saved is not None:
            self._is_anew = False
            self._begin(saved)

    # Reading

    def _stored(self) -> _State:
        """What is stored and can be used: nothing, if it is damaged or of another version."""
        query = "SELECT version, checksum, seq, documents, newest FROM recall WHERE session = ?"
        try:
            version, checksum, *values = self._connection.execute(query, (self._session(),)).fetchone()
            state = _State(*values)
            return state if (version, checksum) == (VERSION, state.checksum) else _State()
        except (sqlite3.Error, TypeError, struct.error):
            return _State()

    def _frequencies(self, tokens: list[str]) -> dict[str, int]:
        """In how many documents each token is that is in any."""
        found = {token: n for token in tokens if (n := self._fresh.frequency(token))}
        for _, token, posting in self._postings(tokens):
            found[token] = found.get(token, 0) + size_of(posting)
        return found

    def _bits(self, tokens: list[str]) -> list[int]:
        """For each token the stored documents that hold it, as a bit set."""
        size = self._blocks * WIDTH
        rooms: dict[str, bytearray] = {}
        for block, token, posting in self._postings(tokens):
            room = rooms.get(token)
            if room is None:
                room = rooms[token] = bytearray(size)
            lay(room, block * WIDTH, posting)
        return [int.from_bytes(rooms[token], "little") if token in rooms else 0 for token in tokens]

    @property
    def _blocks(self) -> int:
        return -(-self._state.documents // BLOCK)

    def _postings(self, tokens: Iterable[str]) -> Iterator[tuple[int, str, bytes]]:
        """What is stored of tokens: block, token, posting. Raises DamagedIndex."""
        asked: dict[int, list[str]] = defaultdict(list)
        for token in tokens:
            asked[bucket_of(token)].append(token)
        for block, bucket, data in self._buckets(asked):
            for token in asked[bucket]:
                if posting := posting_in(data, token):
                    yield block, token, posting

    def _buckets(self, asked: Collection[int] | None = None) -> Iterator[tuple[int, int, bytes]]:
        """The buckets that are stored (None: all): block, number, runs. Raises DamagedIndex."""
        for block in range(self._blocks):
            try:
                for bucket, _, data in buckets_of(self._connection, self._session(), block, asked):
                    yield block, bucket, data
            except sqlite3.Error as error:
                raise DamagedIndex(str(error)) from error

    def _entry(self, number: int) -> tuple[Document, int]:
        """A document by its number, and the newest turn among those up to it."""
        base = self._state.documents
        if number >= base:
            return self._fresh.entry(number - base)
        first = number - number % _PAGE
        page = self._pages.get(first)
        if page is None:
            rows = self._read(
                "SELECT number, newest, slot, element, turn FROM recall_documents "
                "WHERE session = ? AND number >= ? AND number < ?", first, first + _PAGE,
            )  # fmt: skip
            page = self._pages[first] = {row[0]: (Document(*row[2:]), row[1]) for row in rows}
        try:
            return page[number]
        except KeyError:
            raise DamagedIndex(f"document {number} is missing") from None

    def _read(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        try:
            return self._connection.execute(query, (self._session(), *values)).fetchall()
        except sqlite3.Error as error:
            raise DamagedIndex(str(error)) from error

    # Writing

    def _write(self) -> _State | None:
        """Write what is new; None: another process has gone on, or the session is gone."""
        session, base, fresh = self._session(), self._state.documents, self._fresh
        connection = self._connection
        for table in TABLES:
            connection.execute(table)
        last = connection.execute("SELECT max(seq) FROM events WHERE session = ?", (session,)).fetchone()[0] or 0
        if last < self.seq or not (self._is_anew or self._stored() == self._state):
            return None
        if not self._state.seq:
            forget_session(connection, session)
        forget_documents(connection, session, sorted(self._gone))
        connection.executemany(
            "INSERT INTO recall_documents VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                (session, base + n, *document, fresh.entry(n)[1], self._digests[n])
                for n, document in enumerate(fresh.documents)
                if fresh.of_element(document.element) >> n & 1
            ),
        )
        elements = {document.element for document in fresh.documents}
        filed = ((_ELEMENT + name, fresh.of_element(name)) for name in elements)
        merge(connection, session, chain(fresh.postings(), filed), base)
        state = _State(self.seq, base + len(fresh.documents), fresh.newest)
        connection.execute(
            "INSERT OR REPLACE INTO recall VALUES (?, ?, ?, ?, ?, ?)", (session, VERSION, *state, state.checksum)
        )
        return state
