"""An event loop in a thread of its own: where servers are spoken to while everything else waits in plain calls."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from concurrent.futures import CancelledError, Future
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

from ...providers.abort import Abort

T = TypeVar("T")

#: Longest wait for the loop to stop, in seconds.
_STOPPING_S = 10.0


class Late(Exception):
    """What was waited for did not come in time, or was aborted."""


class Portal:
    """The loop runs until :meth:`close`. Its thread does not keep the process alive."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="dcc-tools", daemon=True)
        self._thread.start()

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        """The loop itself, for what must be registered there."""
        return self._loop

    def start(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Begin ``work`` in the loop."""
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def begin(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Begin ``work`` in the loop, as a task: it is known when it is over, what it does when it is cancelled too."""
        made: Future[asyncio.Task[None]] = Future()
        self._loop.call_soon_threadsafe(lambda: made.set_result(self._loop.create_task(work)))
        return made.result(_STOPPING_S)

    def join(self, task: asyncio.Task[None], seconds: float) -> None:
        """Wait until a task is over, however it ends. Raises Late after ``seconds``; the task goes on then."""
        self.wait(self.start(_over(task)), seconds)

    def wait(self, future: Future[T], seconds: float, abort: Abort | None = None) -> T:
        """The result of ``future``, or what it raised. Raises Late, and cancels it, after ``seconds`` or an abort."""
        bell: SimpleQueue[None] = SimpleQueue()
        future.add_done_callback(lambda done: bell.put(None))
        try:
            with (abort or Abort()).waking(lambda: bell.put(None)):
                bell.get(timeout=max(0.0, seconds))
        except Empty:
            pass
        if not future.done():
            future.cancel()
            raise Late
        try:
            return future.result()
        except CancelledError:
            raise Late from None

    def close(self) -> None:
        """Stop the loop. What still runs in it is cancelled first."""
        if self._loop.is_closed():
            return
        asyncio.run_coroutine_threadsafe(_cancel_all(), self._loop)
        self._thread.join(_STOPPING_S)
        if not self._thread.is_alive():
            self._loop.close()


async def _over(task: asyncio.Task[None]) -> None:
    await asyncio.wait({task})


async def _cancel_all() -> None:
    loop = asyncio.get_running_loop()
    others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in others:
        task.cancel()
    await asyncio.wait(others, timeout=_STOPPING_S / 2) if others else None
    await loop.shutdown_asyncgens()
    loop.call_soon(loop.stop)
