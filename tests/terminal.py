"""A chat in a terminal of its own: what is typed into it, and the picture that its output draws."""

from __future__ import annotations

import os
import re
import shlex
import sys
from pathlib import Path

import pexpect
import pyte

#: Long enough for the slowest machine; no test waits for it unless it fails, in seconds.
PATIENCE_S = 20
ENTER, CTRL_C, CTRL_D, CTRL_Z, TAB = "\r", "\x03", "\x04", "\x1a", "\t"


class Terminal:
    """A chat in a terminal of its own, and the picture that its output draws."""

    def __init__(
        self, store: Path, *args: str, columns: int = 100, environ: dict[str, str] | None = None, under: str = ""
    ) -> None:
        """``under``: a shell that the chat is a job of."""
        self.screen = pyte.Screen(columns, 30)
        self._stream = pyte.Stream(self.screen)
        environ = os.environ | {"TERM": "xterm", "DCC_STORE": str(store)} | (environ or {})
        command, words = sys.executable, ["-m", "dcc", "chat", "--session", "talk", *args]
        if under:
            line = shlex.join((command, *words))
            command, words = under, ["-c", f"set -m; {line}; echo Stopped; read go_on; fg"]
        self.process = pexpect.spawn(
            command, words, env=environ, cwd=str(store.parent),
            encoding="utf-8", dimensions=(30, columns), timeout=PATIENCE_S, echo=False,
        )  # fmt: skip

    def until(self, shown: str) -> str:
        """Read until the picture holds the pattern; the picture."""
        while not re.search(shown, picture := "\n".join(line.rstrip() for line in self.screen.display)):
            try:
                self._stream.feed(self.process.read_nonblocking(4096, PATIENCE_S))
            except (pexpect.EOF, pexpect.TIMEOUT):
                raise AssertionError(f"{shown!r} never came:\n{picture}") from None
        return picture

    def type(self, keys: str) -> None:
        self.process.send(keys)

    def resize(self, columns: int) -> None:
        self.screen.resize(30, columns)
        self.process.setwinsize(30, columns)

    def left(self) -> int:
        """Wait for the end; the exit code."""
        self.process.expect(pexpect.EOF)
        self.process.close()
        assert self.process.exitstatus is not None
        return int(self.process.exitstatus)
