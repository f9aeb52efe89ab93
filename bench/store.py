"""What a session in a file costs: opening it with a long past, and committing a call to disk."""

from __future__ import annotations

from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

from dcc.runtime.session import Reply, Session
from dcc.runtime.store.sqlite import SqliteStore

from .history import PROGRAM, stored

SLOTS, ON_STAGE = 100_000, 200


def run(quick: bool) -> dict[str, float]:
    """Medians in milliseconds.

    ``open_100k_ms``: from a closed file to a session that can be asked. ``stored_call_ms``: the reply of a call,
    written to disk; ``stored_call_worst_ms``: the slowest, which wrote a snapshot.
    """
    slots = SLOTS // 50 if quick else SLOTS
    with TemporaryDirectory() as folder:
        path = Path(folder) / "sessions.db"
        _fill(path, slots)
        opening = [_opening(path) for _ in range(3 if quick else 11)]
        calls = _calls(path, 20 if quick else 1_000)
    return {
        "open_100k_ms": median(opening) * 1e3,
        "stored_call_ms": median(calls) * 1e3,
        "stored_call_worst_ms": max(calls) * 1e3,
    }


def _fill(path: Path, slots: int) -> None:
    """A session with a snapshot, and nothing of it in memory any more."""
    memory, store = stored(slots, ON_STAGE), SqliteStore(path, "bench")
    store.append(0, list(memory.rows()), dict(memory.held()))
    with Session.open(store, PROGRAM):
        pass


def _opening(path: Path) -> float:
    start = perf_counter()
    store = SqliteStore(path, "bench")
    session = Session.open(store, PROGRAM)
    assert session.stage()
    seconds = perf_counter() - start
    store.close()
    return seconds


def _calls(path: Path, turns: int) -> list[float]:
    seconds = []
    with Session.open(SqliteStore(path, "bench"), PROGRAM) as session:
        for _ in range(turns):
            session.begin("and now?")
            session.request()
            start = perf_counter()
            session.add_reply(Reply("Now this."))
            seconds.append(perf_counter() - start)
            session.commit()
    return seconds


if __name__ == "__main__":
    for figure, value in run(quick=False).items():
        print(f"{figure:24} {value:10.2f}")
