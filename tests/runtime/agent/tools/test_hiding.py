"""No process that a tool starts can read a key in the environment of dcc."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import environ_reader
import pytest

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Linux shows environments in /proc")

KEY = "sk-0123456789abcdef"
BUILTIN = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}


def test_an_unconfined_command_that_reads_the_environments_of_its_parents(tmp_path: Path) -> None:
    environ = {**BUILTIN, "OPENAI_API_KEY": KEY, "URL": f"https://{KEY}@host/", "HOME": str(tmp_path), "LAST": "end"}
    words = [sys.executable, environ_reader.__file__, str(tmp_path)]
    done = subprocess.run(words, env=environ, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["True", "True"]
    seen = (tmp_path / "seen").read_bytes()
    assert KEY.encode() not in seen
    variables = seen.split(b"\0")
    assert b"OPENAI_API_KEY=" + b"*" * len(KEY) in variables
    assert b"URL=" + b"*" * len(environ["URL"]) in variables
    assert b"LAST=end" in variables


def test_dcc_run_lets_no_other_process_look_into_its_memory(tmp_path: Path) -> None:
    program = (
        "import ctypes, sys; from dcc.cli.entry import run; code = run(['run', 'hello']); "
        "print(ctypes.CDLL(None).prctl(3, 0, 0, 0, 0)); sys.exit(code)"  # PR_GET_DUMPABLE
    )
    environ = {**BUILTIN, "HOME": str(tmp_path), "DCC_STORE": str(tmp_path / "sessions.db")}
    words = [sys.executable, "-c", program]
    done = subprocess.run(words, env=environ, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (0, "hello\n0\n"), done.stderr
