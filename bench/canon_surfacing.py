"""What surfacing costs: from a touch to its line, in a session over a large store; and a hook, as a fresh process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from random import Random
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

from dcc.runtime.kernel.knowledge import NOTHING, Knowledge
from dcc.runtime.memory.canon import Canon
from dcc.runtime.memory.surfacing.presence import TextPresence
from dcc.runtime.memory.surfacing.surfacing import Surfacing

from .canon import ARTICLES, ENTRIES, FOLDERS, make

#: The most that a figure may be, in the unit that its name ends in.
BARS = {"canon_touch_ms": 1.0, "canon_hook_ms": 200.0}

TOUCHES = 500


def run(quick: bool) -> dict[str, float]:
    """Milliseconds from a tool call to the line that it stages (median), and of a hook that surfaces one (median)."""
    articles = ARTICLES // 50 if quick else ARTICLES
    with TemporaryDirectory() as name:
        folders = max(7, FOLDERS * articles // ARTICLES)
        addresses = make(Path(name), articles, folders, ENTRIES * articles // ARTICLES)
        canon = Canon(name)
        touched = sorted(_touched(canon, address) for address in Random(5).choices(addresses, k=TOUCHES))
        hooks = [_hook(name, address, number) for number, address in enumerate(addresses[: 3 if quick else 15])]
    return {"canon_touch_ms": touched[len(touched) // 2] * 1e3, "canon_hook_ms": median(hooks) * 1e3}


def _touched(canon: Canon, address: str) -> float:
    """Seconds from a call that reads an asset to the line of its article."""
    knowledge: list[Knowledge] = [NOTHING]
    surfacing = Surfacing(canon, TextPresence(lambda: True), lambda: knowledge[-1])
    start = perf_counter()
    surfacing.called(lambda data: knowledge.append(knowledge[-1].after(data)), "c", "read", {"path": f"{address}.py"})
    plan = surfacing.plan()
    seconds = perf_counter() - start
    assert [line.address for line in plan.lines] == [address]
    return seconds


def _hook(folder: str, address: str, number: int) -> float:
    """Seconds of one process."""
    command = [str(Path(sys.executable).parent / "dcc"), "canon", "hook", "--caller", "bench"]
    event = {
        "hook_event_name": "PostToolUse", "session_id": str(number), "cwd": folder, "tool_name": "Read",
        "tool_input": {"file_path": f"{address}.py"}, "tool_response": "",
    }  # fmt: skip
    environ = {**os.environ, "XDG_CACHE_HOME": f"{folder}/.cache"}
    start = perf_counter()
    done = subprocess.run(command, input=json.dumps(event).encode(), env=environ, capture_output=True, check=True)
    seconds = perf_counter() - start
    assert address.encode() in done.stdout
    return seconds


if __name__ == "__main__":
    for figure, value in run(quick=False).items():
        print(f"{figure:20} {value:10.2f}")
