"""One writer at a time: a lock on a file of the store, which the system gives back when a process dies."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from ..errors import CanonError

#: Seconds that a writer waits for the others; a write takes milliseconds.
WAIT: Final = 30.0

#: Seconds between two tries, at most: at first, and after many. Hundreds that try all the time would keep the one that
#: has the lock from its work.
PAUSE: Final = 0.005
LONG_PAUSE: Final = 0.1

#: How much longer each pause may be than the one before.
_GROWTH: Final = 1.3


@contextmanager
def locked(path: str, wait: float = WAIT) -> Iterator[None]:
    """Hold the lock of a store; its folder must be there. Raises CanonError (``store_busy``) after ``wait`` seconds."""
    file = _opened(path)
    try:
        deadline, pause = time.monotonic() + wait, PAUSE
        while not _take(file):
            if time.monotonic() > deadline:
                help = "wait for the process that writes to it, or stop it"
                raise CanonError("store_busy", f"another process has held {path} for {wait:g} s", help=help)
            time.sleep(pause * (os.urandom(1)[0] + 1) / 256)
            pause = min(LONG_PAUSE, pause * _GROWTH)
        yield
    finally:
        os.close(file)


@contextmanager
def if_free(path: str) -> Iterator[bool]:
    """Hold the lock when nobody else does; whether it is held."""
    file = _opened(path)
    try:
        yield _take(file)
    finally:
        os.close(file)


def _opened(path: str) -> int:
    """The file that is locked, made when it is not there; through no link, and without waiting where it is a pipe."""
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    return os.open(path, flags, 0o666)


if sys.platform == "win32":
    import msvcrt

    def _take(file: int) -> bool:
        """Whether the lock is ours now. Closing the file gives it back."""
        try:
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _take(file: int) -> bool:
        """Whether the lock is ours now. Closing the file gives it back."""
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
