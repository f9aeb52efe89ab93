"""Runs of many programs over one recording, on all cores."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool

from ...compiler.program import Program
from ..hosts.recording import Recording
from ..values import Format
from .calls import Replayed
from .run import replay

#: Calls to run in all from which on processes are worth their start (some seconds of work).
WORTH = 6_000


def replay_all(
    recording: Recording,
    programs: Sequence[Program],
    slots: tuple[str, ...],
    *,
    format: Format = "openai",
    processes: int | None = None,
    done: Callable[[], None] = lambda: None,
) -> list[Replayed]:
    """Every program over the recording, in their order.

    ``processes``: at most so many (default: the cores); little work, or a system that lets none be started, is
    done in this one. ``done`` is called after each run.
    """
    limit = min(processes or os.cpu_count() or 1, len(programs))
    if limit > 1 and len(programs) * recording.calls >= WORTH:
        try:
            return _in_processes(recording, programs, slots, format, limit, done)
        except (BrokenProcessPool, OSError):
            # No process can be started here, or one was ended from outside: slower, but it still works.
            pass
    found = []
    for program in programs:
        found.append(replay(recording, program, slots=slots, format=format))
        done()
    return found


def _in_processes(
    recording: Recording,
    programs: Sequence[Program],
    slots: tuple[str, ...],
    format: Format,
    processes: int,
    done: Callable[[], None],
) -> list[Replayed]:
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(processes, context, _Worker.begin, (recording, slots, format))
    try:
        runs: list[Future[Replayed]] = [pool.submit(_Worker.run, program) for program in programs]
        for run in as_completed(runs):
            run.result()
            done()
        return [run.result() for run in runs]
    except KeyboardInterrupt:
        for child in multiprocessing.active_children():
            child.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


class _Worker:
    """What one process works on; sent once, when it starts."""

    recording: Recording
    slots: tuple[str, ...]
    format: Format

    @classmethod
    def begin(cls, recording: Recording, slots: tuple[str, ...], format: Format) -> None:
        """Take the recording. An interrupt ends the process without a word: the parent says what there is to say."""
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        cls.recording, cls.slots, cls.format = recording, slots, format

    @classmethod
    def run(cls, program: Program) -> Replayed:
        """One program over it."""
        return replay(cls.recording, program, slots=cls.slots, format=cls.format)
