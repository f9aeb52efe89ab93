"""The process between dcc and a command: it starts it, within its limits, and ends all that it started.

It runs as a program of its own (``python -c``, see ``process.py``), so that it alone, and not the host, becomes the
parent of what a command leaves behind, double-forked processes included (``PR_SET_CHILD_SUBREAPER``). Standard input
brings what to run, as one line of JSON; when it ends, everything is killed: at a timeout, at an abort, and when dcc
itself dies. What came of the command goes to the descriptor ``status``, as JSON.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import select
import shutil
import signal
import sys
import time
from typing import Any, NoReturn

from . import landlock

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36

#: Longest time for killing processes that make new ones as fast as they are killed, in seconds.
_KILLING_S = 5.0

#: A pause for those that were killed to end, in seconds.
_PAUSE_S = 0.001

#: What a shell answers for a command that cannot be run.
_CANNOT_RUN = 126


def main() -> None:
    """Run what standard input says; returns when no process of it is left."""
    host = os.getppid()
    task = json.loads(_line(0))
    for descriptor in (0, task["status"], task["workspace"], task["folder"]):
        os.set_inheritable(descriptor, False)
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)
    bell, ring = os.pipe()
    os.set_blocking(ring, False)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    signal.set_wakeup_fd(ring, warn_on_full_buffer=False)
    child = os.fork()
    if child == 0:
        _become(task)
    by_itself = _wait(child, bell)
    status, left, is_over = _end(child)
    if os.getppid() != host and task["scratch"]:
        # dcc has died, and can remove what it made for the command no more.
        shutil.rmtree(task["scratch"], ignore_errors=True)
    with open(task["status"], "w", encoding="utf-8") as report:
        json.dump({"outcome": status if by_itself else None, "left": left, "is_over": is_over}, report)


def _wait(child: int, bell: int) -> bool:
    """Wait for the command; False: standard input ended first."""
    while True:
        ready, _, _ = select.select([0, bell], [], [])
        if bell in ready:
            os.read(bell, 4096)
        for pid in _children():
            if pid != child:
                with contextlib.suppress(ChildProcessError):
                    os.waitpid(pid, os.WNOHANG)
        # It is not taken note of yet: until then its number, which is that of its group, belongs to nobody else.
        if os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None:
            return True
        if 0 in ready:
            return False


def _end(child: int) -> tuple[int | None, int, bool]:
    """Kill what is left: the status of the command, how many processes had outlived it, whether none is left.

    Whose parent dies becomes a child of this process: killing children until there is none reaches them all.
    """
    until = time.monotonic() + _KILLING_S
    killed: set[int] = set()
    outcome = None
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child, signal.SIGKILL)
    while time.monotonic() < until:
        for pid in (child, *_children()) if outcome is None else _children():
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
                killed.add(pid)
        try:
            ended, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return outcome, len(killed - {child}), True
        if ended == child:
            outcome = status
        elif ended == 0:
            time.sleep(_PAUSE_S)
    return outcome, len(killed - {child}), False


def _children() -> list[int]:
    """The children of this process, as far as the system tells."""
    own = os.getpid()
    try:
        with open(f"/proc/{own}/task/{own}/children", encoding="ascii") as file:
            return [int(pid) for pid in file.read().split()]
    except OSError:
        return []


def _become(task: dict[str, Any]) -> NoReturn:
    """In the forked process: put on the limits and become the command."""
    try:
        _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        os.setsid()
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.fchdir(task["folder"])
        for name in (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGCHLD):
            signal.signal(name, signal.SIG_DFL)
        _limit(task["limits"])
        words = task["words"]
        if task["mounts_at"] is not None:
            os.dup2(task["workspace"], task["mounts_at"], inheritable=True)
        confined = task["landlock"]
        if confined is not None:
            landlock.restrict(confined["readable"], [task["workspace"], *confined["writable"]])
        os.execvp(words[0], words)
    except BaseException as error:
        os.write(2, f"{task['words'][0]} cannot be run: {error}\n".encode(errors="replace"))
    os._exit(_CANNOT_RUN)


def _limit(limits: dict[str, int]) -> None:
    import resource

    for name, wanted in limits.items():
        kind = getattr(resource, name)
        _, most = resource.getrlimit(kind)
        value = wanted if most == resource.RLIM_INFINITY else min(wanted, most)
        # A second more of computing, so that the signal that can be told apart comes first.
        hard = value + 1 if name == "RLIMIT_CPU" and most == resource.RLIM_INFINITY else value
        resource.setrlimit(kind, (value, hard))


def _prctl(option: int, value: int) -> None:
    """Ask it of the kernel; where there is no such call, the process group is all that is killed."""
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def _line(descriptor: int) -> bytes:
    data = b""
    while not data.endswith(b"\n") and (piece := os.read(descriptor, 1 << 16)):
        data += piece
    return data
