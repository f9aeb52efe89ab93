"""Lines of a stream as they come, without holding up the end of the program that waits for them."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from io import FileIO
from threading import Semaphore, Thread
from typing import Final

#: Bytes of the longest line that is given: the largest article fits in a message, written as escapes.
LONGEST: Final = 64 << 20

#: Bytes that are read at once.
_CHUNK: Final = 1 << 16


class StandardLines:
    """The lines of ``stream``, which has no buffer of its own: a thread that waits at one would hold its lock.

    The thread that reads is left to itself when the program ends; it reads no more than was asked for.
    """

    def __init__(self, stream: FileIO) -> None:
        self._stream = stream
        self._read = bytearray()
        self._searched = 0
        self._asked = Semaphore(0)
        self._waiting: asyncio.Future[bytes | None] | None = None

    async def line(self) -> bytes | None:
        """The next line with its end; None in place of one that is too long, empty at the end of the stream."""
        loop = asyncio.get_running_loop()
        if self._waiting is None:
            Thread(target=self._serve, args=(loop,), daemon=True).start()
        self._waiting = loop.create_future()
        self._asked.release()
        return await self._waiting

    def _serve(self, loop: asyncio.AbstractEventLoop) -> None:
        with suppress(RuntimeError):  # The loop was closed meanwhile: nobody waits any more.
            while True:
                self._asked.acquire()
                loop.call_soon_threadsafe(self._give, self.next())

    def _give(self, line: bytes | None) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(line)

    def next(self) -> bytes | None:
        """See ``line``; it waits for the line."""
        is_long = False
        while True:
            end = self._read.find(b"\n", self._searched)
            if end >= 0:
                line = bytes(self._read[: end + 1])
                del self._read[: end + 1]
                self._searched = 0
                return None if is_long or len(line) > LONGEST else line
            self._searched = len(self._read)
            if self._searched > LONGEST:
                is_long, self._searched = True, 0
                self._read.clear()
            chunk = self._stream.read(_CHUNK)
            if not chunk:
                line, self._read, self._searched = bytes(self._read), bytearray(), 0
                return None if is_long and line else line
            self._read += chunk
