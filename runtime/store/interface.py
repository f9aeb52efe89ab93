"""The interface of every store: an append-only event table and an artifact table (kernel.md sections 3 and 7)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

from ..kernel.index import Index, SlotRow
from ..recall.index import Index as RecallIndex


class Saved(NamedTuple):
    """A snapshot that a store kept: its text (``kernel.snapshot``), and the slots that it found."""

    snapshot: bytes
    slots: Index


class Store(Protocol):
    """One session's ledger on disk or in memory.

    Rows are the events in order, row n being the event with seq n (from 1). Contents are encoded by
    ``kernel.content`` and named by their SHA-256 digest (32 bytes).
    """

    @property
    def every(self) -> int | None:
        """How many events may lie between two snapshots; None: this store keeps none."""

    def append(
        self, after: int, rows: Sequence[bytes], contents: Mapping[bytes, bytes], purge: Collection[bytes] = ()
    ) -> None:
        """Write rows and contents in one step, all or nothing. They are safe when this returns.

        ``purge``: digests of contents that are deleted in the same step, before ``contents`` are written; no byte
        of them can be read in what the store keeps when this returns, unless another process is reading just then
        (then it is so with the first write after that). With the first rows of a session they are only remembered:
        a session that is brought in has lost them before.

        ``after`` is the seq that the writer believes is the last one. Raises StoreError (``seq_conflict``)
        when another writer was there first; nothing is then written.
        """

    def rows(self, after: int = 0) -> Iterator[bytes]:
        """The rows with a seq above ``after``, in order."""

    def content(self, digest: bytes) -> bytes:
        """The encoded content of a digest. Raises StoreError: ``missing_content``, ``purged`` (it was deleted)."""

    def holding(self, *values: str) -> list[bytes]:
        """The digests of the session's contents in which a value occurs (see ``Finder``). Costs O(history)."""

    @property
    def purged(self) -> Collection[bytes]:
        """The digests of contents that the session held and lost, be it by a fork of it, and has not borne again."""

    def called(self, digests: Collection[bytes]) -> list[tuple[str, str]]:
        """(what it is, its text) for the id and the name of the session, and of others that hold one of these."""

    def find(self, prefix: bytes) -> list[bytes]:
        """The digests that start with ``prefix``, of purged contents too: usually one."""

    def save(self, seq: int, snapshot: bytes, slots: Iterable[SlotRow], *, whole: bool) -> bool:
        """Keep the snapshot of event ``seq``, with the slots that changed since the one before (``whole``: all).

        False, with nothing kept, when ``seq`` is not the last event. A snapshot is never needed.
        """

    def saved(self) -> Saved | None:
        """The snapshot that was kept last, if it is whole."""

    def recall(self) -> RecallIndex:
        """Where the session's slots are found by words: the same one each time."""

    def close(self) -> None:
        """Let go of files and connections."""
