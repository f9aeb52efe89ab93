"""A store: its articles, its journal, its schema, and the one way in which it is written."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, Literal

from ....compiler.canon.defaults import default_schema
from ....compiler.canon.limits import LARGEST_SCHEMA
from ....compiler.canon.schema import NO_SCHEMA, Schema, read_schema, unreadable_schema
from ....grammar.canon.addresses import flaw_of, recontained
from ....grammar.canon.articles import Article, Change, composed
from ....grammar.canon.entries import Entry
from ...kernel.clock import Clock, SystemClock
from ..errors import CanonError
from .articles import ABSENT, Articles, Stored, base_of
from .files import (
    LARGEST,
    as_bytes,
    as_text,
    make_own_folder,
    put,
    put_new,
    read_file,
    reason_of,
    refuse_links,
    sweep,
    too_large,
)
from .journal import Journal
from .layout import Layout
from .lock import if_free, locked
from .versions import Versions

#: Characters of an address that cannot be one which a message repeats.
SHOWN: Final = 200

#: What a write is judged by: the article before (None: there is none), after, and whether it may land.
Judge = Callable[[Article | None, Article], bool]

#: How a write went. ``stale``: another than the expected text is there; ``current``: nothing would change.
Verdict = Literal["wrote", "current", "refused", "stale"]


@dataclass(frozen=True, slots=True)
class Written:
    """The outcome of a write. ``prior`` is what was there; ``stored`` what is there now; ``wanted`` what would be."""

    verdict: Verdict
    prior: Stored | None
    stored: Stored | None
    wanted: Article


class Store:
    """The store in the folder ``root``; nothing is made on disk before something is kept.

    ``read_only``: nothing is ever written, not even what is derived.
    """

    def __init__(self, root: str, *, clock: Clock | None = None, read_only: bool = False) -> None:
        self.layout = Layout(root)
        self.articles = Articles(self.layout)
        self.journal = Journal(self.layout, read_only=read_only)
        self.versions = Versions(self.layout)
        self.read_only = read_only
        self._clock = clock or SystemClock()
        if not read_only:
            self._sweep()

    def _sweep(self) -> None:
        """Take away what a writer that died has left, unless somebody is writing now, or it cannot be: who only reads
        is not troubled."""
        with suppress(CanonError, OSError):
            refuse_links(self.layout)
            if os.listdir(self.layout.temporary):
                with if_free(self.layout.lock) as free:
                    if free:
                        sweep(self.layout)

    def schema(self) -> Schema:
        """What the store asks of its articles now; a store that is not begun yet will have the usual schema."""
        path = self.layout.schema
        try:
            data = read_file(path, LARGEST_SCHEMA)
            if data is None and os.path.isfile(path):
                # Another process has begun the store between the two.
                data = read_file(path, LARGEST_SCHEMA)
        except (CanonError, OSError) as error:
            return unreadable_schema(reason_of(error))
        if data is not None:
            return read_schema(as_text(data))
        if os.path.lexists(path):
            return unreadable_schema("it is a folder" if os.path.isdir(path) else "it leads to nothing")
        return NO_SCHEMA if self.layout.is_begun else read_schema(default_schema())

    def instant(self) -> str:
        """The time now: ISO 8601, UTC, milliseconds, as entries hold it."""
        now = datetime.fromtimestamp(self._clock.now(), UTC)
        return now.strftime("%Y-%m-%dT%H:%M:%S.") + f"{now.microsecond // 1000:03d}Z"

    def today(self) -> str:
        """The date now, in UTC."""
        return self.instant()[:10]

    def begin(self) -> bool:
        """Make an empty store; False when there is one."""
        if self.layout.is_begun:
            return False
        with self._writing():
            os.makedirs(self.layout.articles, exist_ok=True)
            os.makedirs(self.layout.journal, exist_ok=True)
        return True

    def write(self, address: str, change: Change, *, base: str | None = None, judge: Judge | None = None) -> Written:
        """Write an article, or tell why not.

        ``base``: the fingerprint that the file must have (``ABSENT``: there must be none); None: any.
        ``judge`` may refuse the article that would be written.
        Raises CanonError (``bad_address``, ``outside_store``, ``not_a_file``, ``too_large``, ``store_busy``), OSError.
        """
        address = self._address(address)
        written = self._try(address, change, base, judge)
        if written.verdict != "wrote":
            return written  # Known without the lock: a write that changes nothing touches nothing.
        with self._writing():
            written = self._try(address, change, base, judge)
            if written.verdict != "wrote":
                return written
            return self._replace(address, written.prior, written.wanted)

    def _try(self, address: str, change: Change, base: str | None, judge: Judge | None) -> Written:
        prior = self.articles.read(address)
        before = prior.article if prior else None
        wanted = composed(before, change, self.today())
        if wanted is None:
            assert prior is not None
            return Written("current", prior, prior, prior.article)
        if base is not None and base != (prior.base if prior else ABSENT):
            return Written("stale", prior, prior, wanted)
        if judge is not None and not judge(before, wanted):
            return Written("refused", prior, prior, wanted)
        return Written("wrote", prior, None, wanted)

    def _replace(self, address: str, prior: Stored | None, wanted: Article) -> Written:
        """Put an article in the place of another, which is kept. The lock is held."""
        path = self.articles.inside(prior.path if prior else self.layout.article(address))
        if os.path.isdir(path):
            raise CanonError("not_a_file", f"{path} is a folder, and no article", help="give the folder another name")
        data = as_bytes(wanted.text)
        if len(data) > LARGEST:
            raise too_large(f"the article {address}")
        if prior is not None:
            self.versions.keep(prior, self.instant())
        put(self.layout, path, data)
        return Written("wrote", prior, Stored(address, path, wanted, base_of(data)), wanted)

    def restore(self, address: str, version: str | None = None) -> Written | None:
        """Bring a replaced text of an article back: the last one, or the one of that name or base; None: there is none.

        What it replaces is kept in turn, so a restore can be taken back by another.
        """
        address = self._address(address)
        there = self.articles.read(address)
        same = there.base if there is not None else ABSENT
        # The newest version may be what is there still, where a write did not come to its end.
        found = [
            one
            for one in self.versions.of(address)
            if (version is None and one.base != same) or version in (one.name, one.base)
        ]
        text = self.versions.read(found[-1]) if found else None
        if text is None:
            return None
        with self._writing():
            prior = self.articles.read(address)
            if prior is not None and prior.article.text == text.text:
                return Written("current", prior, prior, text)
            return self._replace(address, prior, text)

    def log(self, entry: Entry, slug: str) -> str:
        """Append an entry, which gets the instant of now; the name of its file."""
        with self._writing():
            logged = Entry(entry.body, entry.subjects, self.instant(), entry.harness, entry.session)
            return self.journal.append(logged, slug)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Hold the lock. The first time, the folder is made, with a schema that says what may be asked.

        A schema that was deleted stays away (the original makes it again at the next write).
        """
        if self.read_only:
            raise CanonError("read_only", "the store is open for reading only", help="open it without --read-only")
        make_own_folder(self.layout)
        with locked(self.layout.lock):
            sweep(self.layout)
            if not self.layout.is_begun:
                put_new(self.layout, self.layout.schema, default_schema().encode())
            yield

    def _address(self, address: str) -> str:
        """The address, contained once more. Raises CanonError (``bad_address``)."""
        address = recontained(address)
        flaw = flaw_of(address)
        if flaw is not None:
            shown = repr(address if len(address) <= SHOWN else f"{address[:SHOWN]}…")
            raise CanonError("bad_address", f"{shown} cannot be an address: {flaw}", help="name another path")
        return address
