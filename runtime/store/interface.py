"""The interface of every store: an append-only event table and an artifact table (kernel.md sections 3 and 7)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol


class Store(Protocol):
    """One session's ledger on disk or in memory.

    Rows are the events in order, row n being the event with seq n (from 1). Contents are encoded by
    ``kernel.content`` and named by their SHA-256 digest (32 bytes).
    """

    def append(self, after: int, rows: Sequence[bytes], contents: Mapping[bytes, bytes]) -> None:
        """Write rows and contents in one step, all or nothing.

        ``after`` is the seq that the writer believes is the last one. Raises StoreError (``seq_conflict``)
        when another writer was there first; nothing is then written.
        """

    def rows(self, after: int = 0) -> Iterator[bytes]:
        """The rows with a seq above ``after``, in order."""

    def content(self, digest: bytes) -> bytes:
        """The encoded content of a digest. Raises StoreError (``missing_content``)."""

    def find(self, prefix: bytes) -> list[bytes]:
        """The digests that start with ``prefix``: usually one."""

    def close(self) -> None:
        """Let go of files and connections."""
