"""A run of 50 calls that kills itself (SIGKILL) when it reaches a given point; run as a program by its test.

Points are counted in what is durable: before and after each write of the store, each request, each change of a file.
Usage: python killed_run.py URL FOLDER POINT PROMPT (POINT 0: none). What the store acknowledged goes to FOLDER/acked.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from dcc.runtime.agent.request import RunRequest
from dcc.runtime.agent.run import Agent
from dcc.runtime.agent.tools.callables import tool_of
from dcc.runtime.agent.tools.workspace import Workspace
from dcc.runtime.providers.remote import RemoteProvider
from dcc.runtime.store.sqlite import SqliteStore


class Points:
    """Counts points, and ends the process at one of them."""

    def __init__(self, last: int, folder: Path) -> None:
        self._last = last
        self.reached = 0
        self._acked = os.open(folder / "acked", os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def point(self) -> None:
        self.reached += 1
        if self.reached == self._last:
            os.kill(os.getpid(), signal.SIGKILL)

    def around(self, owner: type, name: str) -> None:
        """A point before and after each call of a method."""
        inner: Callable[..., Any] = getattr(owner, name)

        def outer(own: Any, *args: Any, **more: Any) -> Any:
            self.point()
            result = inner(own, *args, **more)
            if owner is SqliteStore:
                os.write(self._acked, f"{own.last}\n".encode())
            self.point()
            return result

        setattr(owner, name, outer)


def main(url: str, folder: Path, last: int, prompt: str) -> None:
    os.chdir(folder / "work")
    points = Points(last, folder)
    points.around(SqliteStore, "append")
    points.around(Workspace, "write")
    points.around(RemoteProvider, "complete")

    def log(n: int) -> str:
        """Append a line to the log."""
        points.point()
        with open(folder / "log", "a", encoding="utf-8") as file:
            file.write(f"{n}\n")
        points.point()
        return f"logged {n}"

    config = {
        "extends": ["standard"],
        "life_cycle": {"toolResult": ["born", None]},
        "provider": {"type": "openai", "model": "small", "base_url": f"{url}/v1"},
    }
    request = RunRequest(
        prompt, session_file=folder / "sessions.db", session="s", config=config, open_turn="continue", timeout_s=120
    )
    result = Agent((tool_of(log),), environ={"PATH": "/usr/bin:/bin"}, entry_points=False).run(request)
    assert result.meta.error is None, result.meta.error
    print(points.reached)
    print(result.answer)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
