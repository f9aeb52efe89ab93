"""A run whose unconfined command reads the environments that Linux shows; run as a program by its test.

Usage: python environ_reader.py FOLDER. What the command saw goes to FOLDER/seen; printed is whether Python and the
C library of this process still have the key.
"""

from __future__ import annotations

import ctypes
import json
import os
import sys
from pathlib import Path

from dcc.runtime.agent.request import RunRequest
from dcc.runtime.agent.run import Agent
from dcc.runtime.agent.tools import exec as exec_tool
from dcc.runtime.agent.tools.confinement import Confinement

#: The command itself, its parent, and so on.
COMMAND = """at=$$
while [ "$at" -gt 1 ]; do
  cat /proc/$at/environ >> seen
  at=$(sed -n 's/^PPid:[[:space:]]*//p' /proc/$at/status)
done"""


def main(folder: Path) -> None:
    os.chdir(folder)
    exec_tool.confinement = lambda: Confinement("none")
    key = os.environ["OPENAI_API_KEY"]
    request = RunRequest(
        f"echo: call exec {json.dumps({'command': COMMAND})}\necho: say done", session_file=folder / "sessions.db",
        config={"extends": ["standard"], "tools": {"exec": {"unconfined": True}}},
    )  # fmt: skip
    result = Agent(entry_points=False).run(request)
    assert result.answer.endswith("done"), result
    getenv = ctypes.CDLL(None).getenv
    getenv.restype = ctypes.c_char_p
    print(os.environ["OPENAI_API_KEY"] == key, getenv(b"OPENAI_API_KEY") == key.encode())


if __name__ == "__main__":
    main(Path(sys.argv[1]))
