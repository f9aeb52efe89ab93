"""A process that is killed leaves all that it acknowledged, and no half of anything (P8)."""

from __future__ import annotations

import random
import subprocess
import sys
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import conversation
import pytest
from conversation import CountingStore, open_session, result_of, talk
from legality import check_openai

from dcc.runtime.calls import INTERRUPTED
from dcc.runtime.session import Session
from dcc.runtime.store.memory import MemoryStore
from dcc.runtime.store.sqlite import SqliteStore
from dcc.runtime.store.verifying import verify

SCRIPT = Path(conversation.__file__)


class Whole(NamedTuple):
    """The conversation when nobody kills it: its events, where writes ended, its steps, the tools that ran."""

    rows: list[bytes]
    ends: list[int]
    steps: int
    tools: list[str]


@cache
def whole() -> Whole:
    with TemporaryDirectory() as folder:
        done = run_process(Path(folder), 0)
        tools = (Path(folder) / "tools").read_text().split()
        store = SqliteStore(Path(folder) / "sessions.db", conversation.SESSION)
        rows = list(store.rows())
        store.close()
        ours = CountingStore(Path(folder) / "again.db")
        talk(open_session(ours), result_of, lambda: None)
        assert list(ours.rows()) == rows, "the conversation is the same each time"
        ours.close()
        return Whole(rows, [0, *ours.ends], int(done.stdout), tools)


def run_process(folder: Path, step: int) -> subprocess.CompletedProcess[str]:
    files = [str(folder / name) for name in ("sessions.db", "tools", "acks")]
    return subprocess.run([sys.executable, str(SCRIPT), *files, str(step)], capture_output=True, text=True, check=False)


def check_killed_at(folder: Path, step: int) -> None:
    killed = run_process(folder, step)
    assert killed.returncode == -9, killed.stderr
    acks = [int(seq) for seq in (folder / "acks").read_text().split()] if (folder / "acks").exists() else []
    store = CountingStore(folder / "sessions.db")
    rows = list(store.rows())
    assert rows == whole().rows[: len(rows)], "what is there is what was written, byte for byte"
    assert len(rows) >= max(acks, default=0), "what was acknowledged is there"
    assert len(rows) in whole().ends, "no write is there by half"

    session = open_session(store)
    memory = MemoryStore()
    memory.append(0, list(store.rows()), dict(store.held()))
    assert session.state_hash() == Session.open(memory, conversation.PROGRAM).state_hash()

    ran = (folder / "tools").read_text().split() if (folder / "tools").exists() else []
    lost = session.outlook().interrupted

    def run(call_id: str) -> str:
        ran.append(call_id)
        return result_of(call_id)

    talk(session, run, lambda: None)
    assert session.turn == conversation.TURNS
    assert len(ran) == len(set(ran)), "no tool runs twice"
    assert set(whole().tools) - set(ran) <= set(lost)
    session.begin("and now?")
    assert check_openai(session.request().messages) == []
    session.fail("enough")
    assert sum(content.endswith(INTERRUPTED.encode()) for _, content in store.held()) == bool(lost)
    assert verify(store).difference is None
    store.close()


def steps(count: int) -> list[int]:
    """Steps at which to be killed."""
    return sorted(random.Random(count).sample(range(1, whole().steps + 1), count))


def test_killed_at_fifteen_points(tmp_path: Path) -> None:
    for step in steps(15):
        folder = tmp_path / str(step)
        folder.mkdir()
        check_killed_at(folder, step)


@pytest.mark.slow
def test_killed_at_two_hundred_points(tmp_path: Path) -> None:
    for step in steps(200):
        folder = tmp_path / str(step)
        folder.mkdir()
        check_killed_at(folder, step)
