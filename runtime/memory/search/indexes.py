"""The indexes of a session's stores: each made when it is first asked for, and looked at anew once a call."""

from __future__ import annotations

from ..store.mounts import Mount
from .documents import ArticleFiles, EntryFiles, Source
from .index import Index
from .location import cache_folder, index_file


class Indexes:
    """``cache``: the folder where indexes are kept; None: the user's.

    A store that is only read has its index kept too: the cache is no part of it.
    """

    def __init__(self, cache: str | None = None) -> None:
        self._cache = cache
        self._known: dict[str, Index] = {}
        self._fresh: set[str] = set()
        self._call: object = None

    def begin(self, call: object = None) -> None:
        """A call begins: from now on indexes are looked at anew. ``call``: what it is known by, so that to begin the
        same one again changes nothing; None: it is another one every time.
        """
        if call is None or call != self._call:
            self.forget()
        self._call = call

    def forget(self) -> None:
        """A store was written: what was seen of any in this call may be out of date."""
        self._fresh.clear()

    def articles(self, mount: Mount) -> Index:
        """The articles of a mount's store."""
        articles = mount.store.articles
        return self._current(mount.store.layout.articles, ArticleFiles(articles))

    def entries(self, mount: Mount) -> Index:
        """The journal of a mount's store."""
        return self._current(mount.store.layout.journal, EntryFiles(mount.store.journal))

    def _current(self, folder: str, source: Source) -> Index:
        index = self._known.get(folder)
        if index is None:
            index = Index(source, index_file(self._cache or cache_folder(), folder))
            self._known[folder] = index
        if folder not in self._fresh:
            index.refresh()
            self._fresh.add(folder)
        return index
