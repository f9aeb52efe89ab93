"""Signals that stop a run as Ctrl-C does: what has come is kept, and what it has started is ended."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from types import FrameType
from typing import Final

from ..runtime.providers.abort import Abort
from .chat_screen import interruptible

#: What a system that goes down, a time limit, or a terminal that is closed sends.
_ENDINGS: Final = (signal.SIGTERM, signal.SIGHUP)


@contextmanager
def stoppable(abort: Abort) -> Iterator[None]:
    """While this is entered, these signals and Ctrl-C turn ``abort``; a second one ends the program as usual.

    A signal that the program was started to ignore (``nohup``) stays ignored.
    """

    def stop(number: int, frame: FrameType | None) -> None:
        if abort.is_set:
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
        abort.set()

    with interruptible(abort), ExitStack() as after:
        for number in _ENDINGS:
            if signal.getsignal(number) == signal.SIG_DFL:
                signal.signal(number, stop)
                after.callback(signal.signal, number, signal.SIG_DFL)
        yield
