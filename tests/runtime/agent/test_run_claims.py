"""Two runs in one session: the second is told so at once, and nothing of the first is lost."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import yaml
from agents import calls, replies_in, rules, run
from legality import check_openai
from loopback.behaviour import Behaviour, Hangs, Says
from loopback.server import PATIENCE_S, Loopback

from dcc.runtime.errors import StoreError
from dcc.runtime.store.claim import claimed


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_second_run_is_refused_and_the_first_goes_on(folder: Path) -> None:
    asked, may_go_on = threading.Event(), threading.Event()

    def decide(body: Any) -> Behaviour:
        if replies_in(body) == 0:
            return calls("c1", "write", path="a.txt", content="x")
        asked.set()
        may_go_on.wait(PATIENCE_S)
        return Says(("done",))

    with Loopback(decide=decide) as server, ThreadPoolExecutor() as pool:
        config = rules(server)
        first = pool.submit(run, config, "first", folder)
        assert asked.wait(PATIENCE_S)
        second = run(config, "second", folder)
        other = pool.submit(run, config, "elsewhere", folder, session="other")
        may_go_on.set()
        assert first.result().answer == "done"
        assert other.result().answer == "done"
        third = run(config, "third", folder)
    assert second.meta.error is not None
    assert second.meta.error.kind == "session_in_use"
    assert f"process {os.getpid()}" in second.meta.error.message
    assert "--session" in second.payloads[0].text
    said = [m["content"] for m in server.seen[-1].body["messages"] if m["role"] == "user"]
    assert third.answer == "done"
    assert said == ["first", "third"]
    assert check_openai(server.seen[-1].body["messages"]) == []
    assert {path.name for path in folder.glob("*.lock")} <= {"auth-profiles.lock"}


def test_a_run_of_another_process_is_named_and_one_that_was_killed_is_not_in_the_way(folder: Path) -> None:
    with Loopback(Hangs(), Says(("mine now",))) as server:
        (folder / "rules.yaml").write_text(yaml.safe_dump(rules(server)))
        words = [sys.executable, "-m", "dcc", "run", "--store", "sessions.db", "--session", "s", "-r", "rules.yaml"]
        words.append("go")
        with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            assert server.hanging.wait(PATIENCE_S) or process.kill()
            second = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
            process.send_signal(signal.SIGKILL)
        result = run(rules(server), "again", folder)
    assert (second.returncode, second.stdout) == (1, "")
    assert f"error: a run is going on in session s (process {process.pid})" in second.stderr
    assert result.answer == "mine now"


def test_of_many_that_claim_a_session_one_has_it_at_a_time(folder: Path) -> None:
    """The file is removed with the claim: who had opened it before must not share it with who makes a new one."""
    inside = threading.Semaphore(1)

    def claim(number: int) -> bool:
        for _ in range(200):
            try:
                with claimed(folder / "sessions.db", "s", "run"):
                    assert inside.acquire(blocking=False), "two at a time"
                    inside.release()
            except StoreError as error:
                if error.code != "session_in_use":
                    raise
        return True

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(claim, range(8)))
    assert list(folder.iterdir()) == []


def test_a_folder_that_may_not_be_written_to_is_told(folder: Path) -> None:
    with pytest.raises(StoreError, match="cannot be made"), claimed(folder / "nowhere" / "sessions.db", "s", "run"):
        pass
