"""The life of an MCP server, in an event loop: it is started, introduced, and ended when it is asked to, or dies."""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
from collections import deque
from collections.abc import AsyncIterator, Iterator, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TextIO

from .mcp_lines import ENCODING, LONGEST_LINE, TOO_LONG

if TYPE_CHECKING:
    from mcp import ClientSession
    from mcp_types import Tool as ServerTool

#: Longest time for a call where the ruleset names none, in seconds.
CALL_S: Final = 120.0
#: Most pages of tools that are read, so that a server that never ends its list does not hold everything up.
_MOST_PAGES: Final = 100
#: How much is kept of what a server writes to standard error: pieces, and bytes of each.
PIECES_KEPT: Final = 8
_PIECE_KEPT: Final = 512


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


@dataclass(slots=True)
class Live:
    """A server that runs: the session with it, its tools, what ends it, and whether it has ended.

    ``faults``: what it did that it had to be ended for.
    """

    session: ClientSession
    tools: tuple[ServerTool, ...]
    end: asyncio.Event
    gone: threading.Event
    faults: list[str]


async def stay_with(command: ServerCommand, ready: Future[Live], errors: deque[bytes]) -> None:
    """Start a server and stay with it until it ends. ``ready`` gets it, or why it could not be had.

    ``errors`` gets the last pieces of its standard error.
    """
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client

    parameters = StdioServerParameters(
        command=command.command, args=list(command.args), env=dict(command.environment), cwd=command.folder,
        encoding=ENCODING, encoding_error_handler="replace",
    )  # fmt: skip
    gone = threading.Event()
    faults: list[str] = []
    try:
        with _standard_error(errors) as file:
            async with stdio_client(parameters, errlog=file) as (incoming, outgoing):
                end = asyncio.Event()
                async with _relayed(incoming, gone, end, faults) as source, ClientSession(source, outgoing) as session:
                    await session.initialize()
                    tools = await _listed(session)
                    if not ready.cancelled():
                        ready.set_result(Live(session, tools, end, gone, faults))
                        await end.wait()
    except asyncio.CancelledError:
        ready.cancel()
        raise
    except Exception as error:  # the SDK raises what it likes, in groups
        if not ready.done():
            ready.set_exception(error)
    finally:
        gone.set()


@contextlib.contextmanager
def _standard_error(errors: deque[bytes]) -> Iterator[TextIO]:
    """A file for a server's standard error, of which the last pieces are kept."""
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    loop = asyncio.get_running_loop()

    def take() -> None:
        with contextlib.suppress(BlockingIOError):
            piece = os.read(reading, 1 << 16)
            if not piece:
                loop.remove_reader(reading)
            errors.append(piece[-_PIECE_KEPT:])

    loop.add_reader(reading, take)
    try:
        with open(writing, "w", encoding="utf-8") as file:
            yield file
    finally:
        take()
        loop.remove_reader(reading)
        os.close(reading)


@contextlib.asynccontextmanager
async def _relayed(
    incoming: Any, gone: threading.Event, end: asyncio.Event, faults: list[str]
) -> AsyncIterator[Any]:
    """What comes from a server, passed on; ``gone`` and ``end`` are set when nothing more can come, or shall."""
    import anyio

    sink, source = anyio.create_memory_object_stream[Any](0)

    async def relay() -> None:
        async with sink:
            try:
                async for message in incoming:
                    if getattr(getattr(message, "message", None), "method", None) == TOO_LONG:
                        faults.append(f"it wrote a line of more than {LONGEST_LINE >> 20} MiB")
                        break
                    await sink.send(message)
            except (anyio.ClosedResourceError, anyio.BrokenResourceError):
                pass
            finally:
                # Before the session hears of it, and with it whoever waits for an answer.
                gone.set()
                end.set()

    async with anyio.create_task_group() as group:
        group.start_soon(relay)
        yield source
        group.cancel_scope.cancel()


async def _listed(session: ClientSession) -> tuple[ServerTool, ...]:
    """All tools of a server, page by page."""
    from mcp_types import PaginatedRequestParams

    page = await session.list_tools()
    tools = list(page.tools)
    for _ in range(_MOST_PAGES):
        if page.next_cursor is None:
            break
        page = await session.list_tools(params=PaginatedRequestParams(cursor=page.next_cursor))
        tools += page.tools
    return tuple(tools)
