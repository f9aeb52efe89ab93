"""Random histories in a file: opened from snapshots again and again, beside the same history in memory."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from driver import SYSTEM, Driver
from history import History

from dcc.runtime.errors import StoreError
from dcc.runtime.session import Session
from dcc.runtime.store.memory import MemoryStore
from dcc.runtime.store.sqlite import SqliteStore
from dcc.runtime.store.verifying import verify

#: Events between two snapshots: few, so that every history has some.
EVERY = 7


class FailingFile(SqliteStore):
    """A store in a file whose writes fail while ``fails`` is set."""

    fails = False

    def append(
        self, after: int, rows: Sequence[bytes], contents: Mapping[bytes, bytes], purge: Collection[bytes] = ()
    ) -> None:
        """Write, or fail."""
        if self.fails:
            raise StoreError("disk_full", "no space is left")
        super().append(after, rows, contents, purge)


class PlainDriver(Driver):
    """Drives a session in memory, which folds all events whenever it is opened."""

    def check(self) -> None:
        """Nothing is asked between two acts: some questions read all slots."""

    def check_past(self, *, all_calls: bool) -> None:
        """As ``check``."""


class StoredDriver(PlainDriver):
    """Drives a session in a file, which reads what it needs whenever it is opened."""

    def __init__(self, history: History, path: Path) -> None:
        super().__init__(history)
        self.file = FailingFile(path, "random", every=EVERY)
        self.store = self.file
        self.session = Session.create(self.program, store=self.file, system=SYSTEM, clock=self.clock)

    def restart(self) -> None:
        """A new process; first, all that can be asked is the same, opened from a snapshot or wholly folded."""
        self.compare()
        super().restart()

    def compare(self) -> None:
        """Compare a session that is opened from the file with one that folds its events in memory."""
        reading = SqliteStore(self.file.path, "random", read_only=True)
        memory = MemoryStore()
        memory.append(0, list(reading.rows()), dict(reading.held()))
        lazy, whole = (Session.open(store, self.program, clock=self.clock) for store in (reading, memory))
        assert lazy.state_hash() == whole.state_hash()
        assert lazy.stage() == whole.stage()
        assert lazy.queue() == whole.queue()
        for format in ("openai", "anthropic", "pi"):
            ours, theirs = (session._requests.request(format) for session in (lazy, whole))
            assert (ours.messages, ours.system) == (theirs.messages, theirs.system)
            assert ours.prefix_kept == theirs.prefix_kept
        assert lazy.ranges() == whole.ranges()
        for ordinal in range(1, whole.ordinal + 1):
            assert lazy.projection(ordinal) == whole.projection(ordinal) == self.asked[ordinal]
        assert verify(reading).difference is None
        reading.close()
