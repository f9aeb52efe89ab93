"""Runs a command under the supervisor: takes its output, minds the time and the abort, says how it ended."""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from ...providers.abort import Abort
from .capture import Capture

#: The folder that the package stands in: where the supervisor imports it from.
_PACKAGES: Final = str(Path(__file__).absolute().parents[4])
_PROGRAM: Final = (
    f"import sys; sys.path.insert(0, {_PACKAGES!r}); from dcc.runtime.agent.tools.supervisor import main; main()"
)

#: Longest time that the supervisor has to end everything, in seconds; it takes at most five itself.
_ENDING_S: Final = 10.0
_PIECE: Final = 1 << 16
#: The most that is taken when all is over: what a pipe holds.
_LAST_BYTES: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended. ``status`` is its wait status, None when it was stopped or nothing is known of it.

    ``why``: it ended by itself, its time was over, it was aborted, or the supervisor was lost. ``left`` counts the
    processes that it left behind, which were ended; ``is_over`` is False when some could not be.
    """

    status: int | None
    why: Literal["itself", "timeout", "abort", "lost"]
    left: int = 0
    is_over: bool = True


def run_supervised(
    task: Mapping[str, Any],
    *,
    descriptors: tuple[int, ...],
    environment: Mapping[str, str],
    seconds: float,
    abort: Abort,
    capture: Capture,
) -> Ended:
    """Run ``task`` (``supervisor.py``) until it ends, or until everything of it is killed.

    ``descriptors`` are those that the task names. What is written goes to ``capture`` as it comes. Raises OSError
    when no process can be started.
    """
    status, status_end = os.pipe()
    bell, ring = os.pipe()
    os.set_blocking(ring, False)
    try:
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", _PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, env=dict(environment), pass_fds=(status_end, *descriptors),
            start_new_session=True,
        )  # fmt: skip
    except BaseException:
        for descriptor in (status, status_end, bell, ring):
            os.close(descriptor)
        raise
    os.close(status_end)
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        with abort.waking(lambda: _wake(ring)):
            with contextlib.suppress(BrokenPipeError):
                process.stdin.write(json.dumps({**task, "status": status_end}).encode() + b"\n")
                process.stdin.flush()
            return _follow(process, status, bell, time.monotonic() + seconds, abort, capture)
    finally:
        with contextlib.suppress(BrokenPipeError):
            process.stdin.close()
        try:
            process.wait(_ENDING_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()
        for descriptor in (status, bell, ring):
            os.close(descriptor)


def _follow(
    process: subprocess.Popen[bytes], status: int, bell: int, until: float, abort: Abort, capture: Capture
) -> Ended:
    """Take output until the supervisor says that all is over."""
    assert process.stdin is not None
    assert process.stdout is not None
    output = process.stdout.fileno()
    os.set_blocking(output, False)
    said = b""
    why: Literal["itself", "timeout", "abort"] = "itself"
    with selectors.DefaultSelector() as waiting:
        for descriptor in (output, status, bell):
            waiting.register(descriptor, selectors.EVENT_READ)
        while True:
            ready = [key.fd for key, _ in waiting.select(max(0.0, until - time.monotonic()))]
            if output in ready:
                piece = os.read(output, _PIECE)
                capture.add(piece)
                if not piece:
                    waiting.unregister(output)
            if status in ready:
                piece = os.read(status, _PIECE)
                said += piece
                if not piece:
                    break
            stopped = abort.is_set or time.monotonic() >= until
            if stopped and why != "itself":
                # It had its time for ending everything, too.
                break
            if stopped:
                why = "abort" if abort.is_set else "timeout"
                waiting.unregister(bell)
                until = time.monotonic() + _ENDING_S
                with contextlib.suppress(BrokenPipeError):
                    process.stdin.close()
    _drain(output, capture)
    if not said:
        return Ended(None, "lost" if why == "itself" else why, is_over=False)
    report = json.loads(said)
    outcome = report["outcome"]
    # It may have ended by itself in the moment in which it was to be stopped.
    return Ended(outcome, why if outcome is None else "itself", report["left"], report["is_over"])


def _drain(output: int, capture: Capture) -> None:
    """Take what is still in the pipe; who holds its other end open is not waited for."""
    taken = 0
    with contextlib.suppress(BlockingIOError):
        while taken < _LAST_BYTES and (piece := os.read(output, _PIECE)):
            capture.add(piece)
            taken += len(piece)


def _wake(ring: int) -> None:
    with contextlib.suppress(OSError):
        os.write(ring, b"!")
