"""Where a chat reads lines and shows answers: the interface, and the one for pipes and files."""

from __future__ import annotations

import os
import sys
from contextlib import AbstractContextManager, nullcontext, suppress
from io import TextIOWrapper
from typing import Protocol

from ..compiler.visible import visible
from .chat_status import printable


class Screen(Protocol):
    """What a chat needs of the place it runs in. ``is_interactive``: a person answers questions there."""

    is_interactive: bool

    def read(self, draft: str = "") -> str | None:
        """The next message as typed, with ``draft`` to begin with; None: there are no more."""

    def show(self, piece: str) -> None:
        """A piece of an answer, as it comes."""

    def think(self, piece: str) -> None:
        """A piece of thinking, as it comes."""

    def end(self) -> None:
        """The answer is over."""

    def busy(self) -> AbstractContextManager[None]:
        """While this is entered an answer is made, and no message is read."""

    def tell(self, text: str) -> None:
        """Something out of band: a notice, an error."""


class PlainScreen:
    """Standard input a line a message; answers go to standard output, what is out of band to standard error."""

    is_interactive = False

    def __init__(self) -> None:
        self._shown = ""
        if isinstance(sys.stdin, TextIOWrapper):
            # What is no UTF-8 is kept apart from what is, for the chat to refuse; a byte order mark is no text.
            sys.stdin.reconfigure(encoding="utf-8-sig", errors="surrogateescape")

    def read(self, draft: str = "") -> str | None:
        """See ``Screen.read``; a draft is of no use to a pipe."""
        line = sys.stdin.readline()
        return line.rstrip("\r\n") if line else None

    def show(self, piece: str) -> None:
        """See ``Screen.show``. A program gets every byte; the controls of a terminal are out of reach."""
        self._shown = piece or self._shown
        sys.stdout.write(printable(piece) if sys.stdout.isatty() else piece)
        sys.stdout.flush()

    def think(self, piece: str) -> None:
        """Thinking is no part of the output."""

    def end(self) -> None:
        """End the line of an answer."""
        if self._shown and not self._shown.endswith("\n"):
            sys.stdout.write("\n")
        sys.stdout.flush()
        self._shown = ""

    def busy(self) -> AbstractContextManager[None]:
        """See ``Screen.busy``; a pipe waits by itself."""
        return nullcontext()

    def tell(self, text: str) -> None:
        """See ``Screen.tell``. Where there is no room for it, or nobody reads it, it goes unheard."""
        with suppress(OSError):
            if self._shown and not self._shown.endswith("\n") and _is_one_place():
                sys.stdout.write("\n")
                sys.stdout.flush()
                self._shown = ""
            print(visible(text), file=sys.stderr, flush=True)


def _is_one_place() -> bool:
    """Whether output and what is out of band go to one place, such as a terminal: there each begins a line."""
    try:
        return os.path.sameopenfile(sys.stdout.fileno(), sys.stderr.fileno())
    except (OSError, ValueError):
        return False
