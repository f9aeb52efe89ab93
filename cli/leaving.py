"""Signals that end a chat: it leaves by its own door, so that terminal, claim and what has come are left in order."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

from ..runtime.providers.abort import Abort

#: What a system that goes down, a time limit, or a terminal that is closed sends.
_ENDINGS: Final = (signal.SIGTERM, signal.SIGHUP)

#: What a shell adds to the number of the signal that ended a program, for its exit code.
_BY_SIGNAL: Final = 128


@contextmanager
def leaving() -> Iterator[None]:
    """While this is entered, such a signal ends the program at once, but in good order."""

    def leave(number: int, frame: FrameType | None) -> None:
        raise SystemExit(_BY_SIGNAL + number)

    with _handled_by(leave):
        yield


@contextmanager
def finishing(abort: Abort) -> Iterator[None]:
    """While this is entered, it turns ``abort`` first, so that what has come is kept; a second one does not wait."""
    noted: list[int] = []

    def stop(number: int, frame: FrameType | None) -> None:
        if noted:
            raise SystemExit(_BY_SIGNAL + number)
        noted.append(number)
        abort.set()

    with _handled_by(stop):
        yield
    if noted:
        raise SystemExit(_BY_SIGNAL + noted[0])


@contextmanager
def _handled_by(handler: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    """A signal that the program was started to ignore (``nohup``) stays ignored."""
    before = {number: found for number in _ENDINGS if (found := signal.getsignal(number)) != signal.SIG_IGN}
    for number in before:
        signal.signal(number, handler)
    try:
        yield
    finally:
        for number, found in before.items():
            signal.signal(number, found)
