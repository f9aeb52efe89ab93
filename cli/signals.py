"""Signals that end a verb: it leaves in good order, with what has come kept and what it has started ended."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

from ..runtime.providers.abort import Abort

#: What a system that goes down, a time limit, or a terminal that is closed sends.
_TERMINATING: Final = (signal.SIGTERM, signal.SIGHUP)

#: What a shell adds to the number of the signal that ended a program, for its exit code.
_BY_SIGNAL: Final = 128

_Handler = Callable[[int, FrameType | None], None]


@contextmanager
def interruptible(abort: Abort) -> Iterator[None]:
    """While this is entered, Ctrl-C turns ``abort``; a second one interrupts the program as usual."""

    def stop(number: int, frame: FrameType | None) -> None:
        if abort.is_set:
            raise KeyboardInterrupt
        abort.set()

    before = signal.signal(signal.SIGINT, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def stoppable(abort: Abort) -> Iterator[None]:
    """The same, and a terminating signal turns ``abort``, too; a second one ends the program as usual."""

    def stop(number: int, frame: FrameType | None) -> None:
        if abort.is_set:
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
        abort.set()

    with interruptible(abort), _terminating_go_to(stop):
        yield


@contextmanager
def leaving() -> Iterator[None]:
    """While this is entered, a terminating signal ends the program at once, but by its own door."""

    def leave(number: int, frame: FrameType | None) -> None:
        raise SystemExit(_BY_SIGNAL + number)

    with _terminating_go_to(leave):
        yield


@contextmanager
def finishing(abort: Abort) -> Iterator[None]:
    """While this is entered, a terminating signal turns ``abort``; the program ends when what has come is kept.

    A second one does not wait.
    """
    noted: list[int] = []

    def stop(number: int, frame: FrameType | None) -> None:
        if noted:
            raise SystemExit(_BY_SIGNAL + number)
        noted.append(number)
        abort.set()

    with _terminating_go_to(stop):
        yield
    if noted:
        raise SystemExit(_BY_SIGNAL + noted[0])


@contextmanager
def _terminating_go_to(handler: _Handler) -> Iterator[None]:
    """A terminating signal that the program was started to ignore (``nohup``) stays ignored."""
    before = {number: found for number in _TERMINATING if (found := signal.getsignal(number)) != signal.SIG_IGN}
    for number in before:
        signal.signal(number, handler)
    try:
        yield
    finally:
        for number, found in before.items():
            signal.signal(number, found)
