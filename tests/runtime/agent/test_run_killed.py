"""kill -9 anywhere in a run of 50 calls with file edits: what was acknowledged is there, and nothing runs twice."""

from __future__ import annotations

import random
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import killed_run
import pytest
from agents import calls, replies_in, rules, run
from legality import check_openai
from loopback.behaviour import Behaviour, Says
from loopback.server import Loopback

from dcc.runtime.agent.request import OpenTurn
from dcc.runtime.session import Session
from dcc.runtime.store.reopening import program_of
from dcc.runtime.store.sqlite import SqliteStore
from dcc.runtime.store.verifying import verify

CALLS = 50
ANSWER = "all fifty are done"
PROMPT = "do all fifty"


def decide(body: Any) -> Behaviour:
    """The n-th reply: an edit of a line, or a line in the log."""
    n = replies_in(body)
    if n >= CALLS:
        return Says((ANSWER,))
    if n % 2:
        return calls(f"c{n}", "log", n=n)
    return calls(f"c{n}", "edit", path="work.txt", oldText=f"item {n}: open\n", newText=f"item {n}: done\n")


@pytest.fixture(scope="module")
def server() -> Iterator[Loopback]:
    with Loopback(decide=decide) as server:
        yield server


def start(server: Loopback, folder: Path, point: int, prompt: str) -> subprocess.CompletedProcess[str]:
    """A run in a process of its own."""
    words = [sys.executable, killed_run.__file__, server.url, str(folder), str(point), prompt]
    return subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)


def prepare(folder: Path) -> None:
    (folder / "work").mkdir()
    (folder / "work" / "work.txt").write_text("".join(f"item {n}: open\n" for n in range(CALLS)))


def check(folder: Path, server: Loopback, point: int) -> None:
    """Kill a run at a point, look at what is there, and go on."""
    prepare(folder)
    killed = start(server, folder, point, PROMPT)
    assert killed.returncode == -9, killed.stderr
    acked = [int(line) for line in (folder / "acked").read_text().split()] if (folder / "acked").exists() else []
    has_begun = False
    if acked:
        store = SqliteStore(folder / "sessions.db", "s", read_only=True)
        assert store.last >= acked[-1]
        assert verify(store).difference is None
        session = Session.open(store, program_of(store))
        has_begun = session.turn > 0
        store.close()
    again = start(server, folder, 0, "" if has_begun else PROMPT)
    assert again.returncode == 0, again.stderr
    assert again.stdout.splitlines()[1:] == [ANSWER]
    assert check_openai(server.seen[-1].body["messages"]) == []
    store = SqliteStore(folder / "sessions.db", "s", read_only=True)
    assert verify(store).difference is None
    messages = Session.open(store, program_of(store)).messages()
    store.close()
    results = [m["content"] for m in messages if m["role"] == "tool"]
    assert len(results) == CALLS
    logged = Counter((folder / "log").read_text().split())
    interrupted = [n for n, text in enumerate(results) if text.startswith("[interrupted")]
    assert len(interrupted) <= 1
    assert max(logged.values()) == 1
    assert {str(n) for n in range(CALLS) if n % 2} - set(logged) <= {str(n) for n in interrupted}
    lines = (folder / "work" / "work.txt").read_text().splitlines()
    for n, line in enumerate(lines):
        done = n % 2 == 0 and (line == f"item {n}: done" or n in interrupted)
        assert done or line == f"item {n}: open"
    assert not [text for text in results if "must stand in the file" in text or "not found" in text]


@pytest.fixture(scope="module")
def points(server: Loopback, tmp_path_factory: pytest.TempPathFactory) -> int:
    """How many points a run reaches that nobody kills."""
    folder = tmp_path_factory.mktemp("whole")
    prepare(folder)
    whole = start(server, folder, 0, PROMPT)
    assert whole.returncode == 0, whole.stderr
    count, answer = whole.stdout.splitlines()
    assert answer == ANSWER
    assert int(count) > 4 * CALLS
    return int(count)


#: Where in a run it is killed, as a share of its points: the beginning, the end and some between, always the same.
_DRAWN = random.Random(7)
FEW = [0.0, 1.0, *(_DRAWN.random() for _ in range(6))]
MANY = sorted(_DRAWN.random() for _ in range(92))


@pytest.mark.parametrize("share", FEW)
def test_killed_at(share: float, points: int, server: Loopback, tmp_path: Path) -> None:
    check(tmp_path, server, 1 + round(share * (points - 1)))


@pytest.mark.parametrize("wish", ["keep", "drop"])
@pytest.mark.parametrize("share", FEW[1:5])
def test_killed_and_then_kept_or_dropped(
    share: float, wish: OpenTurn, points: int, server: Loopback, tmp_path: Path
) -> None:
    """The next prompt is answered; what was acknowledged is in view (kept) or out of it (dropped), and never half."""
    prepare(tmp_path)
    assert start(server, tmp_path, 1 + round(share * (points - 1)), PROMPT).returncode == -9
    with Loopback(Says(("on to that",))) as next_one:
        result = run(rules(next_one), "something else", tmp_path, open_turn=wish)
    assert (result.answer, result.meta.error) == ("on to that", None)
    messages = next_one.seen[0].body["messages"]
    assert check_openai(messages) == []
    told = {"keep": "open_turn_kept", "drop": "open_turn_dropped"}[wish]
    was_open = told in dict(result.notices)
    said = [message["content"] for message in messages if message["role"] == "user"]
    assert (PROMPT in said) == (wish == "keep" or not was_open)
    store = SqliteStore(tmp_path / "sessions.db", "s", read_only=True)
    assert verify(store).difference is None
    store.close()


@pytest.mark.slow
@pytest.mark.parametrize("share", MANY)
def test_killed_at_one_of_many_points(share: float, points: int, server: Loopback, tmp_path: Path) -> None:
    check(tmp_path, server, 1 + round(share * (points - 1)))
