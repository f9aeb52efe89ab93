"""The journal of a store: entries are made whole under a name of their own, and never written again."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from ....grammar.canon.addresses import flaw_of
from ....grammar.canon.entries import DATE_LENGTH, Entry, number_of, read_entry, slug_of
from ..errors import CanonError
from .files import (
    LARGEST,
    as_bytes,
    as_text,
    flaw_of_file,
    put,
    put_new,
    read_file,
    reason_of,
    refuse_link,
    too_large,
)
from .layout import SUFFIX, Layout
from .rows import Row, is_torn, lines, read_rows, row_of

#: A marker that no file has: the index was never read.
_NEVER: Final = (-1, -1)


@dataclass(slots=True)
class _Known:
    """The rows that were read last, and of what: the index as it was on disk, and the names in the folder."""

    index: tuple[int, int] = _NEVER
    names: frozenset[str] = frozenset()
    rows: tuple[Row, ...] = ()


class Journal:
    """Reads and appends entries. ``read_only``: an index that is stale is made anew in memory alone."""

    def __init__(self, layout: Layout, *, read_only: bool = False) -> None:
        self._layout = layout
        self._read_only = read_only
        self._known = _Known()

    def append(self, entry: Entry, slug: str) -> str:
        """Write an entry; the name of its file. The caller holds the lock of the store.

        The name is ``<date>-<slug>.md``; when it is taken, also by another program, it gets the next number. Raises
        CanonError (``too_large``), OSError.
        """
        stem = f"{entry.logged[:DATE_LENGTH]}-{slug_of(slug)}"
        data = as_bytes(entry.text)
        if len(data) > LARGEST:
            raise too_large("the entry")
        name, number = f"{stem}{SUFFIX}", 1
        while not put_new(self._layout, f"{self._layout.journal}/{name}", data):
            if number == 1:
                # Numbers are looked up once: a slug may have thousands of entries on one day.
                number = max(map(number_of, self._of_stem(stem)), default=1)
            number += 1
            name = f"{stem}-{number}{SUFFIX}"
        self._add(row_of(name, entry))
        return name

    def _of_stem(self, stem: str) -> Iterator[str]:
        for name in self.names():
            rest = name.removeprefix(stem).removesuffix(SUFFIX)
            if name.startswith(stem) and (not rest or (rest[0] == "-" and rest[1:].isdecimal())):
                yield name

    def _add(self, row: Row) -> None:
        """Put a row at the end of the index, or make the index when there is none. It may fail: it is derived.

        What is there and no file, or a link, is not written through: the index takes its place.
        """
        try:
            if os.path.isfile(self._layout.index) and not os.path.islink(self._layout.index):
                with open(self._layout.index, "ab") as file:
                    file.write(lines([row]))
            else:
                put(self._layout, self._layout.index, lines(self._rebuilt(self.names())))
        except OSError:
            return

    def names(self) -> frozenset[str]:
        """The file names of all entries."""
        return frozenset(entry.name for entry in self.entries())

    def entries(self) -> Iterator[os.DirEntry[str]]:
        """The files of all entries, as the folder lists them."""
        return (entry for entry in self._listed([]) if self._flaw(entry) is None)

    def strays(self) -> Iterator[tuple[str, str]]:
        """Every file that is named as an entry and cannot be one, and a folder that cannot be looked into; with why."""
        closed: list[tuple[str, str]] = []
        for entry in self._listed(closed):
            flaw = self._flaw(entry)
            if flaw is not None:
                yield entry.path, flaw
        yield from closed

    def _flaw(self, entry: os.DirEntry[str]) -> str | None:
        flaw = None if entry.name.isprintable() else flaw_of(entry.name.removesuffix(SUFFIX))
        return flaw or flaw_of_file(entry, self._layout.journal)

    def _listed(self, closed: list[tuple[str, str]]) -> Iterator[os.DirEntry[str]]:
        try:
            refuse_link(self._layout.journal)
            listed = os.scandir(self._layout.journal)
        except FileNotFoundError:
            return
        except (CanonError, OSError) as error:
            closed.append((self._layout.journal, reason_of(error)))
            return
        with listed:
            yield from (entry for entry in listed if entry.name.endswith(SUFFIX))

    def read(self, name: str) -> Entry | None:
        """The entry of a file name; None when there is none. Raises CanonError, OSError for one that cannot be read."""
        data = read_file(f"{self._layout.journal}/{name}")
        return None if data is None else read_entry(as_text(data))

    def readable(self, name: str) -> Entry | None:
        """The entry of a file name; None also where it cannot be read: a journal is of use without it."""
        try:
            return self.read(name)
        except (CanonError, OSError):
            return None

    def rows(self) -> tuple[Row, ...]:
        """What every entry is about, oldest first: by instant, those of one instant by their number.

        The index is believed when it has a row for each file and no other. A subject that was edited in a file is
        therefore not noticed, as in the original: entries are not meant to be edited.
        """
        names, index = self.names(), _stamp(self._layout.index)
        if index != self._known.index or names != self._known.names:
            rows = self._read_rows(names)
            self._known = _Known(_stamp(self._layout.index), names, rows)
        return self._known.rows

    def _read_rows(self, names: frozenset[str]) -> tuple[Row, ...]:
        try:
            data = read_file(self._layout.index)
        except (CanonError, OSError):
            data = None
        known = read_rows(as_text(data)) if data is not None else None
        if known is not None and known.keys() == names and not any(map(is_torn, known.values())):
            rows = tuple(known.values())
        else:
            rows = self._rebuilt(names)
            self._write(rows)
        return tuple(sorted(rows, key=lambda row: (row.logged, number_of(row.name))))

    def _rebuilt(self, names: frozenset[str]) -> tuple[Row, ...]:
        return tuple(row_of(name, self.readable(name) or Entry("")) for name in sorted(names))

    def _write(self, rows: tuple[Row, ...]) -> None:
        """Write the index anew. Failing is no failure: it is made again the next time."""
        if self._read_only or not rows or not os.path.isdir(self._layout.temporary):
            return
        try:
            put(self._layout, self._layout.index, lines(rows))
        except OSError:
            return

    def mentions(self, address: str) -> tuple[str, ...]:
        """The file names of the entries about exactly this address, oldest first."""
        return tuple(row.name for row in self.rows() if address in row.subjects)


def _stamp(path: str) -> tuple[int, int]:
    """What changes when a file is written: its time in nanoseconds, its size in bytes."""
    try:
        found = os.stat(path)
    except OSError:
        return (0, 0)
    return found.st_mtime_ns, found.st_size
