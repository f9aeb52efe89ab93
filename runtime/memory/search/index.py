"""An index of documents that others write: looked at anew, it is what one made from nothing would be."""

from __future__ import annotations

import time
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ..errors import CanonError
from ..store.articles import base_of
from ..store.files import read_file
from . import saved
from .bm25 import FREQUENCY, FREQUENCY_BITS
from .documents import Source, Stamp
from .postings import Postings
from .saved import Row, Saved

#: Nanoseconds for which a file counts as being written: within one tick of the file system's clock (two seconds on
#: the coarsest in use) a second write may leave everything that is looked at as it was.
YOUNG: Final = 2_000_000_000

#: The stamp of a document whose file is read again at the next look, whatever its stamp is then.
UNTRUSTED: Final[Stamp] = (0, 0, 0, 0)

#: Documents that are read again by every process that opens the index, before it is saved again: so many, or one
#: of so many. (Reading one takes a tenth of a millisecond, saving a large index some hundred.)
UNSAVED, UNSAVED_SHARE = 64, 50


class Index:
    """The documents of a source by their terms. ``file``: where it is kept between processes; None: nowhere.

    ``generation`` rises when a document comes, goes or changes; ``edition`` also when documents get other numbers.
    For one thread at a time.
    """

    def __init__(self, source: Source, file: str | None) -> None:
        self._source = source
        self._file = file
        self._rows: list[Row | None] = []
        self._numbers: dict[str, int] = {}
        self._lengths: list[int] = []
        self._postings = Postings()
        self._stamps: dict[str, Stamp] = {}
        self._unsaved: set[str] = set()
        self.generation = 0
        self.edition = 0
        self._opened = False
        self._every: Within | None = None

    def refresh(self) -> None:
        """Look at the files, read those that are not as they were, and forget those that are gone.

        The first look makes the index, when none is kept.
        """
        if not self._opened:
            self._opened = True
            self._take(saved.read(self._file) if self._file else None)
        stamps: dict[str, Stamp] = {}
        differing: dict[str, str] = {}
        known = self._stamps
        for key, entry in self._source.listed():
            try:
                found = entry.stat()
            except OSError:
                continue  # Gone since the folder was listed.
            stamps[key] = stamp = (found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)
            if known.get(key) != stamp:
                differing[key] = entry.path
        if not differing and len(stamps) == len(known):
            return
        for key in known.keys() - stamps.keys():
            self._drop(key)
        for key, path in differing.items():
            # Of two files with one address the last that is listed counts, as for the store.
            if self._stamps.get(key) != stamps[key]:
                self._read(key, path, stamps[key])
        if len(self._unsaved) > max(UNSAVED, len(self._numbers) // UNSAVED_SHARE):
            self._save()

    def _take(self, kept: Saved | None) -> None:
        if kept is None:
            return
        self._rows = list(kept.rows)
        self._lengths = [row.length for row in kept.rows]
        self._numbers = {row.key: number for number, row in enumerate(kept.rows)}
        self._stamps = {row.key: row.stamp for row in kept.rows}
        self._postings = Postings(kept.packed)
        self._changed()

    def _changed(self) -> None:
        self.generation += 1
        self.edition += 1
        self._every = None

    def _read(self, key: str, path: str, stamp: Stamp) -> None:
        """Take in a document as it is now. Its stamp is from before: a write in between is seen at the next look."""
        settled = max(stamp[2], stamp[3]) < time.time_ns() - YOUNG
        try:
            data = read_file(path)
        except (CanonError, OSError):
            data = None
        if data is None:
            self._drop(key)
            return
        base, stamp, number = base_of(data), stamp if settled else UNTRUSTED, self._numbers.get(key)
        known = None if number is None else self._rows[number]
        if settled or known is None or known.base != base:
            self._unsaved.add(key)
        if known is not None and number is not None and known.base == base:
            self._rows[number] = Row(key, base, known.length, known.declared, stamp)
            self._stamps[key] = stamp
            return
        self._drop(key)
        document = self._source.document(key, data)
        number = len(self._rows)
        self._rows.append(Row(key, base, document.bag.length, document.declared, stamp))
        self._lengths.append(document.bag.length)
        self._numbers[key] = number
        self._stamps[key] = stamp
        self._postings.add(number, document.bag.counts)
        self._changed()

    def _drop(self, key: str) -> None:
        self._stamps.pop(key, None)
        number = self._numbers.pop(key, None)
        if number is not None:
            self._rows[number] = None
            self._unsaved.add(key)
            self._changed()

    def _save(self) -> None:
        """Put all postings into one part, without those of documents that are gone, and keep that on disk."""
        numbers: list[int | None] = []
        rows: list[Row] = []
        for row in self._rows:
            numbers.append(None if row is None else len(rows))
            rows += [row] if row is not None else []
        kept = Saved(tuple(rows), self._postings.packed(numbers))
        generation = self.generation
        self._take(kept)
        self.generation = generation
        self._unsaved.clear()
        if self._file:
            saved.write(self._file, kept)

    @property
    def known(self) -> Mapping[str, int]:
        """The key of every document with its number."""
        return self._numbers

    def key(self, number: int) -> str:
        """The key of a document."""
        row = self._rows[number]
        assert row is not None
        return row.key

    def is_declared(self, key: str) -> bool:
        """Whether a document is an article that is declared to be a rule."""
        row = self._rows[self._numbers[key]]
        return row is not None and row.declared

    def every(self) -> Within:
        """All documents, to be searched."""
        if self._every is None:
            self._every = self.within(self._numbers)
        return self._every

    def within(self, keys: Container[str]) -> Within:
        """Some documents, to be searched as if there were no others; good until ``edition`` changes."""
        held = bytearray(len(self._rows))
        for key, number in self._numbers.items():
            held[number] = key in keys
        total = sum(length for length, inside in zip(self._lengths, held, strict=True) if inside)
        return Within(self._postings, self._lengths, bytes(held), held.count(1), total)

    def content(self) -> dict[str, tuple[int, bool, dict[str, int]]]:
        """Everything that the index knows, by key: length, whether it is declared, terms with how often."""
        counts: dict[str, dict[str, int]] = {key: {} for key in self._numbers}
        for term in self._postings.terms():
            for posting in self._postings.of(term):
                row = self._rows[posting >> FREQUENCY_BITS]
                if row is not None:
                    counts[row.key][term] = posting & FREQUENCY
        rows = (row for row in self._rows if row is not None)
        return {row.key: (row.length, row.declared, counts[row.key]) for row in rows}


@dataclass(frozen=True, slots=True)
class Within:
    """Documents of an index, as BM25 sees them (see ``bm25.Scope``)."""

    _postings: Postings
    lengths: Sequence[int]
    _held: bytes
    count: int
    total: int

    def postings(self, term: str) -> list[int]:
        """The postings of a term in these documents."""
        held = self._held
        return [posting for posting in self._postings.of(term) if held[posting >> FREQUENCY_BITS]]
