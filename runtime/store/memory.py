"""A store in memory. Full pages of rows are kept deflated, so that long sessions stay small."""

from __future__ import annotations

import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from ..errors import StoreError, purged_content
from ..kernel.containing import Finder
from ..kernel.index import SlotRow
from ..recall.index import MemoryIndex

#: Rows in a page; a page is deflated when it is full.
PAGE = 512


class MemoryStore:
    """Events and contents of one session, for as long as the process lives."""

    def __init__(self) -> None:
        self._pages: list[bytes] = []
        self._page: list[bytes] = []
        self._contents: dict[bytes, bytes] = {}
        #: The digests of contents that were deleted and not stored again.
        self.purged: set[bytes] = set()
        self._recall = MemoryIndex()

    @property
    def last(self) -> int:
        """The seq of the last row."""
        return len(self._pages) * PAGE + len(self._page)

    def append(
        self, after: int, rows: Sequence[bytes], contents: Mapping[bytes, bytes], purge: Collection[bytes] = ()
    ) -> None:
        """Write rows and contents in one step (see ``Store.append``)."""
        if after != self.last:
            raise StoreError(
                "seq_conflict",
                f"the ledger has {self.last} events, the writer expected {after}: another writer was first",
                help="open the session again; what was not written can be repeated",
            )
        for digest in purge:
            self._contents.pop(digest, None)
        self._contents.update(contents)
        self.purged = (self.purged | set(purge)) - contents.keys()
        self._page.extend(rows)
        while len(self._page) >= PAGE:
            self._pages.append(zlib.compress(b"\n".join(self._page[:PAGE]), 1))
            del self._page[:PAGE]

    def rows(self, after: int = 0) -> Iterator[bytes]:
        """The rows with a seq above ``after``, in order."""
        skip = after % PAGE
        for page in self._pages[after // PAGE :]:
            yield from zlib.decompress(page).split(b"\n")[skip:]
            skip = 0
        start = max(0, after - len(self._pages) * PAGE)
        yield from self._page[start:]

    def content(self, digest: bytes) -> bytes:
        """The encoded content of a digest (see ``Store.content``)."""
        try:
            return self._contents[digest]
        except KeyError:
            if digest in self.purged:
                raise purged_content(digest) from None
            raise StoreError("missing_content", f"no content with the digest {digest.hex()[:16]}") from None

    def holding(self, *values: str) -> list[bytes]:
        """The digests of contents in which one of the values occurs (see ``Store.holding``)."""
        finder = Finder(values)
        return [digest for digest, data in self._contents.items() if finder.is_in(data)]

    def called(self, digests: Collection[bytes]) -> list[tuple[str, str]]:
        """It has neither id nor name, and stands alone (see ``Store.called``)."""
        return []

    def find(self, prefix: bytes) -> list[bytes]:
        """The digests that start with ``prefix``, of purged contents too."""
        return [digest for digest in (*self._contents, *self.purged) if digest.startswith(prefix)]

    def held(self) -> Iterator[tuple[bytes, bytes]]:
        """All contents: (digest, encoded content)."""
        yield from self._contents.items()

    @property
    def every(self) -> None:
        """No snapshots: what is in memory is there as long as the session that folded it."""
        return None

    def save(self, seq: int, snapshot: bytes, slots: Iterable[SlotRow], *, whole: bool) -> bool:
        """Keeps nothing (see ``every``)."""
        return False

    def saved(self) -> None:
        """There is none (see ``every``)."""
        return None

    def recall(self) -> MemoryIndex:
        """See ``Store.recall``."""
        return self._recall

    def close(self) -> None:
        """Nothing to let go of."""
