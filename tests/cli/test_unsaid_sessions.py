"""A new session in which nothing was said leaves nothing behind; one that is there keeps what it has."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest
from loopback.behaviour import Behaviour, Hangs, Refuses, Says
from loopback.server import PATIENCE_S, Loopback
from sessions import PROGRAM

from dcc.cli.entry import run
from dcc.runtime.kernel.clock import ManualClock
from dcc.runtime.session import Reply, Session
from dcc.runtime.store.memory import MemoryStore
from dcc.runtime.store.sessions import sessions_in

OPENAI = ("--provider", "openai", "--model", "small")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DCC_STORE", str(tmp_path / "sessions.db"))
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    return tmp_path


def reach(server: Loopback, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/v1")


def told(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> str:
    """What a verb says on standard error."""
    assert run(list(words)) == code
    return capsys.readouterr().err


def chat(monkeypatch: pytest.MonkeyPatch, *lines: str, args: tuple[str, ...] = ()) -> int:
    monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
    return run(["chat", "--session", "talk", *args])


def stored(folder: Path) -> list[tuple[str, int]]:
    return [(session.id, session.turns) for session in sessions_in(folder / "sessions.db")]


def test_a_run_that_reaches_nobody_leaves_no_session_and_names_none(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with Loopback() as gone:
        reach(gone, monkeypatch)
    (folder / "rules.yaml").write_text("extends: [standard]\nprovider: {retries: {attempts: 1}}\n")
    said = told(capsys, "run", "-r", "rules.yaml", *OPENAI, "hello /goal ship it remain 3", code=1)
    assert "session" not in said
    monkeypatch.delenv("OPENAI_BASE_URL")
    monkeypatch.delenv("OPENAI_API_KEY")
    told(capsys, "run", *OPENAI, "hello", code=1)
    assert stored(folder) == []


def test_neither_does_one_whose_key_is_refused_and_its_document_says_which_session_it_was(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with Loopback(Refuses(401)) as server:
        reach(server, monkeypatch)
        assert run(["run", *OPENAI, "--session", "job", "--json", "hello"]) == 1
    meta = json.loads(capsys.readouterr().out)["meta"]
    assert (meta["error"]["kind"], meta["agentMeta"]["sessionId"]) == ("auth", "job")
    assert stored(folder) == []


def test_a_session_that_is_there_keeps_its_turns_and_the_patch_of_a_run_that_failed(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    told(capsys, "run", "--session", "job", "hello")
    with Loopback(Refuses(401)) as server:
        reach(server, monkeypatch)
        said = told(capsys, "run", *OPENAI, "--session", "job", "more /goal ship it remain 3", code=1)
    assert "session job" in said
    assert stored(folder) == [("job", 1)]
    assert run(["sessions", "show", "job"]) == 0
    assert "queued for turn 2: /goal ship it" in capsys.readouterr().out


def test_a_run_that_is_killed_before_an_answer_leaves_none(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Loopback(Hangs()) as server:
        reach(server, monkeypatch)
        words = [sys.executable, "-m", "dcc", "run", *OPENAI, "hello"]
        with subprocess.Popen(words, stderr=subprocess.DEVNULL) as process:
            assert server.hanging.wait(PATIENCE_S) or process.kill()
            process.kill()
    assert stored(folder) == []


@pytest.mark.parametrize("lines", [(), ("/dc-status", "/cpat", "/help"), ("/cancelpin p01",)], ids=str)
def test_a_chat_in_which_nothing_is_said_leaves_none(
    lines: tuple[str, ...], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chat(monkeypatch, *lines)
    assert stored(folder) == []


@pytest.mark.parametrize("line", ["/goal ship it remain 2", "/dc-rule think born born+2 forward"])
def test_what_a_bare_patch_or_a_command_has_set_is_kept(
    line: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    chat(monkeypatch, line)
    assert stored(folder) == [("talk", 0)]
    chat(monkeypatch, "hello", "/dc-status")
    assert stored(folder) == [("talk", 1)]
    assert run(["verify", "talk"]) == 0


@pytest.mark.parametrize(
    ("script", "left"), [((Refuses(401), Refuses(401)), []), ((Refuses(401), Says(("there",))), [("talk", 1)])]
)
def test_a_chat_is_stored_with_its_first_answer(
    script: tuple[Behaviour, ...], left: list[tuple[str, int]], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Loopback(*script) as server:
        reach(server, monkeypatch)
        chat(monkeypatch, "hello /goal ship it remain 3", "again", "/cpat why system@0", args=OPENAI)
    assert stored(folder) == left
    if left:
        assert "ship it" in str(server.seen[1].body)
        assert run(["verify", "talk"]) == 0


def test_a_late_session_holds_the_same_events_as_one_that_was_there_from_the_beginning() -> None:
    stores = MemoryStore(), MemoryStore()
    for store, late in zip(stores, (False, True), strict=True):
        session = Session.create(PROGRAM, store=store, system="You are brief.", clock=ManualClock(), late=late)
        for text in ("one /goal a remain 2", "two /goal b roll 2"):
            session.begin(text)
            session.request()
            session.fail("network")
            assert bool(store.last) is not late
            assert session.why("system@0")[0].kind == "slot_born"
        session.begin("three")
        session.request()
        session.add_reply(Reply("there"))
        session.commit()
    assert list(stores[0].rows()) == list(stores[1].rows())
    assert dict(stores[0].held()) == dict(stores[1].held())


def test_notices_of_a_late_session_are_told_before_it_is_stored() -> None:
    session = Session.create(PROGRAM, clock=ManualClock(), late=True)
    session.begin("/nonsense here")
    session.request()
    session.fail("network")
    assert [code for code, _ in session.take_happenings().notices] == ["slash_line"]
    assert not session.is_stored
