"""A chat has its session for itself: who else would write in it is told at once, and who reads is not in the way."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from loopback.behaviour import Hangs
from loopback.server import Loopback
from terminal import CTRL_C, CTRL_D, ENTER, PATIENCE_S, Terminal


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "sessions.db"


@pytest.fixture
def chat(store: Path) -> Iterator[Terminal]:
    """A chat in the session ``talk`` that has come to its second turn."""
    terminal = Terminal(store)
    terminal.until(r"turn 0 \|")
    terminal.type("hello" + ENTER)
    terminal.until(r"turn 1 \|")
    yield terminal
    terminal.process.close(force=True)


def dcc(store: Path, *words: str, typed: str = "") -> subprocess.CompletedProcess[str]:
    environ = os.environ | {"DCC_STORE": str(store)}
    return subprocess.run(
        [sys.executable, "-m", "dcc", *words], input=typed, capture_output=True, text=True, env=environ,
        cwd=store.parent, timeout=PATIENCE_S, check=False,
    )  # fmt: skip


RUN = ("run", "--session", "talk", "go on")
CHAT = ("chat", "--session", "talk")


@pytest.mark.parametrize("second", [RUN, CHAT], ids=["run", "chat"])
def test_the_second_is_told_in_one_line_who_has_the_session_and_the_chat_goes_on(
    second: tuple[str, ...], chat: Terminal, store: Path
) -> None:
    refused = dcc(store, *second, typed="hello\n")
    (line,) = [line for line in refused.stderr.splitlines() if "going on" in line]
    assert line.endswith(
        f"a chat is going on in session talk (process {chat.process.pid}): leave it first, or name another session: "
        "--session ID"
    )
    assert (refused.returncode, refused.stdout) == (1, "")
    chat.type("still here" + ENTER)
    chat.until(r"\nstill here\n(.|\n)*turn 2 \| 4 slots")


def test_a_chat_beside_a_run_is_told_so(store: Path) -> None:
    with Loopback(Hangs()) as server:
        environ = os.environ | {
            "DCC_STORE": str(store), "OPENAI_BASE_URL": f"{server.url}/v1", "OPENAI_API_KEY": "none",
        }  # fmt: skip
        words = [sys.executable, "-m", "dcc", *RUN, "--provider", "openai", "--model", "small"]
        with subprocess.Popen(words, env=environ, cwd=store.parent, stderr=subprocess.DEVNULL) as run:
            assert server.hanging.wait(PATIENCE_S) or run.kill()
            refused = dcc(store, *CHAT, typed="hello\n")
            run.send_signal(signal.SIGKILL)
    assert f"a run is going on in session talk (process {run.pid}): wait until it has ended" in refused.stderr
    assert (refused.returncode, refused.stdout) == (1, "")
    assert dcc(store, *CHAT, typed="hello\n").stdout == "hello\n"


@pytest.mark.parametrize("end", ["kill", "leave"])
def test_the_claim_ends_with_the_chat(end: str, store: Path) -> None:
    with Loopback(Hangs()) as server:
        environ = {"OPENAI_BASE_URL": f"{server.url}/v1", "OPENAI_API_KEY": "none"}
        chat = Terminal(store, "--provider", "openai", "--model", "small", environ=environ)
        chat.until(r"turn 0 \|")
        chat.type("hello" + ENTER)
        assert server.hanging.wait(PATIENCE_S)
        if end == "kill":
            chat.process.kill(signal.SIGKILL)
        else:
            chat.type(CTRL_C)
            chat.until("> hello")
            chat.type(CTRL_C + CTRL_D)
        chat.process.wait()
    assert dcc(store, *RUN).stdout == "go on\n"
    assert [path.name for path in store.parent.glob("*.lock") if "auth" not in path.name] == []


@pytest.mark.parametrize(
    "verb",
    [
        ("sessions", "list"), ("sessions", "show", "talk"), ("sessions", "resume-info", "talk"), ("status", "talk"),
        ("sessions", "export", "talk", "-"), ("sessions", "fork", "talk", "--id", "other"), ("why", "talk", "user@1"),
        ("journal", "talk"), ("verify", "talk"),
    ],
    ids=" ".join,
)  # fmt: skip
def test_what_only_reads_the_session_is_free(verb: tuple[str, ...], chat: Terminal, store: Path) -> None:
    assert dcc(store, *verb).returncode == 0
    chat.type("still here" + ENTER)
    chat.until(r"turn 2 \| 4 slots")


def test_what_would_write_the_session_or_take_it_away_is_refused(chat: Terminal, store: Path) -> None:
    dcc(store, "sessions", "export", "talk", "talk.jsonl")
    said = "a chat is going on in session talk"
    for verb in (("delete", "talk"), ("delete", "talk", "--yes"), ("import", "talk.jsonl")):
        refused = dcc(store, "sessions", *verb)
        assert said in refused.stderr, verb
        assert refused.returncode == 1
    chat.type("still here" + ENTER)
    chat.until(r"turn 2 \| 4 slots")


def test_the_id_of_a_chat_in_which_nothing_was_said_yet_is_taken(store: Path) -> None:
    dcc(store, "run", "--session", "first", "hello")
    chat = Terminal(store)
    chat.until(r"turn 0 \|")
    refused = dcc(store, "sessions", "fork", "first", "--id", "talk")
    assert "a chat is going on in session talk" in refused.stderr
    assert refused.stderr.rstrip().endswith("or give another id: --id ID")
    chat.type("hello" + ENTER)
    chat.until(r"turn 1 \|")
    chat.type(CTRL_D)
    assert chat.left() == 0
