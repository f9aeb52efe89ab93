"""Random histories over a file: most openings read only what they need, every check compares with a whole fold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from driver import Driver
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

    def append(self, after: int, rows: Sequence[bytes], contents: Mapping[bytes, bytes]) -> None:
        """Write, or fail."""
        if self.fails:
            raise StoreError("disk_full", "no space is left")
        super().append(after, rows, contents)


class StoredDriver(Driver):
    """Drives a session that is opened from snapshots; nothing that it is asked meanwhile reads all slots."""

    def __init__(self, history: History, path: Path) -> None:
        super().__init__(history)
        self.store = FailingFile(path, "random", every=EVERY)
        self.session = Session.create(self.program, store=self.store, system="You are brief.", clock=self.clock)

    def check(self) -> None:
        """What a session opened from a snapshot says is what one says that folded all events."""
        model, session = self.model, self.session
        assert (session.turn, session.ordinal, session.is_open) == (model.turn, model.ordinal, model.is_open)
        if not model.is_sent:
            assert list(session.stage()) == model.staying()

    def check_past(self, *, all_calls: bool) -> None:
        """Past calls are checked against the whole fold."""

    def restart(self) -> None:
        """A new process; before it goes on, compare what is lazily there with a whole fold."""
        super().restart()
        self.compare()

    def compare(self) -> None:
        """Everything that can be asked is the same, lazily opened and wholly folded."""
        memory = MemoryStore()
        memory.append(0, list(self.store.rows()), dict(self.store.held()))
        whole = Session.open(memory, self.program, clock=self.clock)
        reading = SqliteStore(self.store.path, "random", read_only=True)
        lazy = Session.open(reading, self.program, clock=self.clock)
        assert lazy.state_hash() == whole.state_hash()
        assert lazy.stage() == whole.stage()
        assert lazy.queue() == whole.queue()
        for format in ("openai", "anthropic", "pi"):
            ours, theirs = (s._requests.request(format) for s in (lazy, whole))
            assert (ours.messages, ours.system) == (theirs.messages, theirs.system)
            assert ours.prefix_kept == theirs.prefix_kept
        assert lazy.ranges() == whole.ranges()
        for ordinal in range(1, whole.ordinal + 1):
            assert lazy.projection(ordinal) == whole.projection(ordinal) == self.asked[ordinal]
        assert verify(reading).difference is None
        reading.close()
