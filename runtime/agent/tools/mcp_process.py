"""An MCP server as a process: messages over its standard input and output, one a line.

The SDK has such a transport too. With every piece that comes it looks again at all that has come of the line, and a
long result takes the square of its length; here each piece is looked at once.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TextIO

#: Longest time for a call where the ruleset names none, in seconds.
CALL_S: Final = 120.0

_PIECE: Final = 1 << 18
#: Time for what was said last to reach a server that is to end, in seconds.
_LAST_WORDS_S: Final = 0.5
#: Time for a server to end by itself once its input is closed, then for SIGTERM, then for SIGKILL, in seconds.
_ENDING_S: Final = 2.0
#: How often it is looked whether a server has ended, in seconds.
_LOOK_S: Final = 0.01


@dataclass(frozen=True, slots=True)
class ServerCommand:
    """How a server is started: its program, what it gets of the environment, the folder that it runs in.

    ``timeout_s`` bounds one call.
    """

    name: str
    command: str
    args: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    folder: str | None = None
    timeout_s: float = CALL_S


class Lines:
    """Cuts a stream of bytes into lines, in a time that grows with its length alone, however small its pieces are."""

    def __init__(self) -> None:
        self._begun: list[bytes] = []

    def of(self, piece: bytes) -> Iterator[bytes]:
        """The lines that end in this piece, without their ends."""
        *ended, rest = piece.split(b"\n")
        for line in ended:
            yield b"".join((*self._begun, line)) if self._begun else line
            self._begun.clear()
        if rest:
            self._begun.append(rest)


@contextlib.asynccontextmanager
async def spoken_to(command: ServerCommand, errors: TextIO, over: Callable[[], None]) -> AsyncIterator[tuple[Any, Any]]:
    """Start a server: the streams of messages from it and to it. It is ended when the context is left.

    ``errors`` gets its standard error. ``over`` is called when nothing more can come from it, before the reader of the
    first stream, and with it whoever waits for an answer, hears of that. Raises OSError when it cannot be started.
    """
    import anyio

    process = subprocess.Popen(
        [command.command, *command.args], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, bufsize=0,
        env=dict(command.environment), cwd=command.folder, start_new_session=True,
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    heard, incoming = anyio.create_memory_object_stream[Any](0)
    outgoing, said = anyio.create_memory_object_stream[Any](0)
    saying, silent = anyio.CancelScope(), anyio.Event()

    async def hear(output: int) -> None:
        lines = Lines()
        try:
            async with heard:
                try:
                    while piece := await _read(output):
                        for line in lines.of(piece):
                            await heard.send(_message(line))
                finally:
                    over()
        except (anyio.ClosedResourceError, anyio.BrokenResourceError):
            # Nobody listens any more. One that is stuck with its words could not end.
            while await _read(output):
                pass

    async def say(stdin: Any) -> None:
        try:
            with saying, stdin, said:
                os.set_blocking(stdin.fileno(), False)
                async for message in said:
                    text = message.message.model_dump_json(by_alias=True, exclude_unset=True)
                    await _write(stdin.fileno(), f"{text}\n".encode())
        except OSError:
            # It may live on, and will never answer.
            over()
            heard.close()
        finally:
            silent.set()

    with process.stdout, heard, incoming, outgoing:
        os.set_blocking(process.stdout.fileno(), False)
        async with anyio.create_task_group() as group:
            group.start_soon(hear, process.stdout.fileno())
            group.start_soon(say, process.stdin)
            try:
                yield incoming, outgoing
            finally:
                with anyio.CancelScope(shield=True):
                    incoming.close()
                    outgoing.close()
                    with anyio.move_on_after(_LAST_WORDS_S):
                        await silent.wait()
                    saying.cancel()
                    await _ended(process)
                group.cancel_scope.cancel()


async def _read(descriptor: int) -> bytes:
    """What has come, as soon as something has; empty at the end."""
    import anyio

    await anyio.wait_readable(descriptor)
    return os.read(descriptor, _PIECE)


async def _write(descriptor: int, data: bytes) -> None:
    import anyio

    left = memoryview(data)
    while left:
        await anyio.wait_writable(descriptor)
        left = left[os.write(descriptor, left) :]


def _message(line: bytes) -> Any:
    """A line as the SDK takes it: a message, or what is wrong with it."""
    from mcp.shared.message import SessionMessage
    from mcp_types import jsonrpc_message_adapter

    try:
        return SessionMessage(jsonrpc_message_adapter.validate_json(line.decode("utf-8", "replace"), by_name=False))
    except ValueError as error:
        return error


async def _ended(process: subprocess.Popen[bytes]) -> None:
    """Wait for a server whose input is closed; one that goes on is ended with all that it started in its group."""
    if await _comes(lambda: process.poll() is not None):
        return
    for number in (signal.SIGTERM, signal.SIGKILL):
        _tell(process.pid, number)
        if await _comes(lambda: process.poll() is not None and not _tell(process.pid, 0)):
            return


async def _comes(true: Callable[[], bool]) -> bool:
    """Whether something comes true in the time that a server has to end."""
    import anyio

    until = time.monotonic() + _ENDING_S
    while not true():
        if time.monotonic() >= until:
            return False
        await anyio.sleep(_LOOK_S)
    return True


def _tell(group: int, number: int) -> bool:
    """Send a signal to a group of processes, 0 to ask for it alone; whether there is one that can be told."""
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True
