"""Checks many files, on every core when there are enough of them to be worth the processes."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from .diagnostics import Diagnostic
from .files import check_file

#: Files from which processes are started: starting one takes about as long as checking a hundred files.
MANY = 200

Source = tuple[str, bytes | str]


def check_all(sources: Sequence[Source], many: int = MANY) -> list[tuple[Diagnostic, ...]]:
    """The findings of each source (its path and its content), in the order of the sources."""
    workers = min(_cores(), len(sources))
    if len(sources) <= many or workers < 2:
        with _no_collection():
            return [_check(source) for source in sources]
    from concurrent.futures import ProcessPoolExecutor

    with ProcessPoolExecutor(workers) as pool:
        return list(pool.map(_check_some, sources, chunksize=max(1, len(sources) // (workers * 4))))


def _check(source: Source) -> tuple[Diagnostic, ...]:
    return check_file(*source).diagnostics


def _check_some(source: Source) -> tuple[Diagnostic, ...]:
    # A worker does nothing else until it ends: what it would collect is the node trees it is reading.
    gc.disable()
    return _check(source)


@contextmanager
def _no_collection() -> Iterator[None]:
    """Let the garbage collector rest: a node tree is many objects and no garbage, and going through it is a
    third of the time of a large file."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _cores() -> int:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
