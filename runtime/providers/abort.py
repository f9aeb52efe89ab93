"""Abort: how a host stops a call that is under way, from another thread or from a signal handler."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from queue import Empty, SimpleQueue


class Abort:
    """A switch that is turned once. It holds no lock, so a signal handler may turn it at any moment."""

    def __init__(self) -> None:
        self._is_set = False
        self._wakers: list[Callable[[], None]] = []

    @property
    def is_set(self) -> bool:
        """Whether the call is to stop."""
        return self._is_set

    def set(self) -> None:
        """Stop the call: whoever waits for the provider is woken at once."""
        self._is_set = True
        for wake in tuple(self._wakers):
            wake()

    @contextmanager
    def waking(self, wake: Callable[[], None]) -> Iterator[None]:
        """While this is entered, ``wake`` is called (in the thread that aborts) when the switch is turned."""
        self._wakers.append(wake)
        try:
            if self._is_set:
                wake()
            yield
        finally:
            self._wakers.remove(wake)

    def wait(self, seconds: float) -> bool:
        """Wait ``seconds``, or less when the switch is turned; whether it is."""
        bell: SimpleQueue[None] = SimpleQueue()
        with self.waking(lambda: bell.put(None)), suppress(Empty):
            bell.get(timeout=max(0.0, seconds))
        return self._is_set
