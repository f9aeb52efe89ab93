"""Many processes write to one store, and some are killed: what was acknowledged is there, and nothing is half."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from random import Random

import canon_writers
import pytest

from dcc.grammar.canon.articles import Article
from dcc.runtime.memory.canon import Canon
from dcc.runtime.memory.store.rows import read_rows
from dcc.runtime.memory.store.store import Store

SCRIPT = Path(canon_writers.__file__)


def start(folder: Path, number: int, count: int, mode: str) -> subprocess.Popen[str]:
    command = [sys.executable, str(SCRIPT), str(folder), str(number), str(count), mode]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def acknowledged(processes: list[subprocess.Popen[str]], killed: set[int]) -> list[dict[str, str]]:
    """What the processes were told that it is kept; those that nobody killed must have ended well."""
    said = [process.communicate()[0] for process in processes]
    assert [process.returncode for process in processes] == [-9 if n in killed else 0 for n in range(len(processes))]
    return [json.loads(line) for out in said for line in out.splitlines() if line.endswith("}")]


def check_store(folder: Path, told: list[dict[str, str]], writers: int, count: int) -> None:
    """Every entry is whole, every article is some writer's text, and nothing is left over."""
    store = Store(str(folder / ".canon"))
    assert list((folder / ".canon" / ".dcc" / "tmp").iterdir()) == []
    texts = {canon_writers.text_of(number, turn) for number in range(writers) for turn in range(count)}
    names = store.journal.names()
    for ack in (one for one in told if "entry" in one):
        entry = store.journal.read(ack["entry"])
        assert entry is not None
        assert entry.body == ack["body"]
    for name in names:
        entry = store.journal.read(name)
        assert entry is not None
        assert entry.body in texts
        assert len(entry.subjects) == 2
    paths = store.articles.paths()
    assert set(paths) <= set(canon_writers.ADDRESSES)
    for path in paths.values():
        found = Article(Path(path).read_text(encoding="utf-8"))
        assert found.body in texts
        number, turn = found.capsule.split(": ")
        assert found.body == canon_writers.text_of(int(number), int(turn))
    listed = store.journal.rows()
    index = read_rows((folder / ".canon" / ".journal-index.jsonl").read_text(encoding="utf-8"))
    (folder / ".canon" / ".journal-index.jsonl").unlink()
    rebuilt = Store(str(folder / ".canon")).journal.rows()
    assert index is not None
    assert set(listed) == set(rebuilt) == set(index.values())
    assert {row.name for row in rebuilt} == names


def test_a_few_writers(tmp_path: Path) -> None:
    processes = [start(tmp_path, number, 5, "many") for number in range(3)]
    told = acknowledged(processes, set())
    assert len(told) == 3 * 5 * 2
    check_store(tmp_path, told, 3, 5)


@pytest.mark.slow
def test_twenty_writers_of_which_five_are_killed(tmp_path: Path) -> None:
    random = Random(8)
    processes = [start(tmp_path, number, 100, "many") for number in range(20)]
    killed = set(random.sample(range(20), 5))
    lines: list[dict[str, str]] = []
    for number in sorted(killed):
        # It has begun to write when it has said so; then it may be killed at any moment.
        out = processes[number].stdout
        assert out is not None
        lines.append(json.loads(out.readline()))
        time.sleep(random.uniform(0, 0.5))
        processes[number].kill()
    told = lines + acknowledged(processes, killed)
    check_store(tmp_path, told, 20, 100)


@pytest.mark.parametrize("writers", [4, pytest.param(20, marks=pytest.mark.slow)])
def test_every_line_that_writers_add_is_there(tmp_path: Path, writers: int) -> None:
    processes = [start(tmp_path, number, 1, "line") for number in range(writers)]
    acknowledged(processes, set())
    body = Canon(str(tmp_path)).call({"action": "read", "path": "shared/list"}).data["body"]
    assert {line for line in body.splitlines() if line} == {f"- line {number}" for number in range(writers)}
