"""Many programs over one recording: the same figures in processes as in one."""

from __future__ import annotations

import pytest
from recordings import read_loop, recording

from dcc.compiler.load import load_program
from dcc.runtime.replay import workers
from dcc.runtime.replay.workers import replay_all

SESSION = recording(read_loop(6, 20))
PROGRAMS = [
    load_program({"name": f"r{n}", "life_cycle": {"toolResult": ["born", f"born+{n} calls"]}}) for n in (1, 2, 3)
]


def test_processes_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[None] = []
    alone = replay_all(SESSION, PROGRAMS, (), processes=1, done=lambda: done.append(None))
    monkeypatch.setattr(workers, "WORTH", 0)
    together = replay_all(SESSION, PROGRAMS, (), processes=2, done=lambda: done.append(None))
    assert together == alone
    assert [run.policy for run in together] == ["r1", "r2", "r3"]
    assert len(done) == 6


def test_a_system_without_processes_is_no_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError("no more processes")

    monkeypatch.setattr(workers, "WORTH", 0)
    monkeypatch.setattr(workers, "ProcessPoolExecutor", refuse)
    assert [run.policy for run in replay_all(SESSION, PROGRAMS, (), processes=2)] == ["r1", "r2", "r3"]
