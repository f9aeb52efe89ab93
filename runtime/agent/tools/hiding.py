"""Keys are hidden from the processes that tools start: they belong to the same user, and may look at their parents.

Linux shows to them the environment that a process began with, whatever it has unset since (proc_pid_environ(5)), and
its memory. Elsewhere nothing is done.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Collection, Iterator

#: Shorter values are too common to be looked for inside others.
_SHORTEST = 8

#: The fields of /proc/self/stat that say where the first environment is, counted from the state (proc_pid_stat(5)).
_ENV_START, _ENV_END = 50 - 3, 51 - 3

_PR_SET_DUMPABLE = 4


def hide(secrets: Collection[str]) -> None:
    """Overwrite every variable that holds a secret in the environment that this process began with.

    The process itself, and what it starts with its own environment, see the variables as before.
    """
    if not sys.platform.startswith("linux") or not secrets:
        return
    for name, value in os.environ.items():
        if _holds(os.fsencode(value), secrets):
            os.putenv(name, value)  # The C library has a copy from here on, and no longer the first one.
    start, block = _first_environment()
    for at, shown in _values(block):
        if _holds(shown, secrets):
            ctypes.memset(start + at, ord("*"), len(shown))


def keep_to_itself() -> None:
    """Let no other process of the user look into the memory of this one (PR_SET_DUMPABLE); no debugger can, either.

    For a process that is dcc's own: of what it starts, each program decides for itself.
    """
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)


def _first_environment() -> tuple[int, bytes]:
    """Where it lies, and what it is now; empty where the system does not say."""
    try:
        with open("/proc/self/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
    except OSError:
        return 0, b""
    start, end = int(fields[_ENV_START]), int(fields[_ENV_END])
    return start, ctypes.string_at(start, end - start) if 0 < start < end else b""


def _values(block: bytes) -> Iterator[tuple[int, bytes]]:
    """The values of the variables, with their places."""
    at = 0
    for entry in block.split(b"\0"):
        name, sign, value = entry.partition(b"=")
        yield at + len(name) + len(sign), value
        at += len(entry) + 1


def _holds(value: bytes, secrets: Collection[str]) -> bool:
    forms = [os.fsencode(secret) for secret in secrets if secret]
    return any(value == form or (len(form) >= _SHORTEST and form in value) for form in forms)
