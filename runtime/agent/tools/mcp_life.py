"""The life of an MCP server, in an event loop: it is started, introduced, and ended when it is asked to, or dies."""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TextIO

from .mcp_process import ServerCommand, spoken_to

if TYPE_CHECKING:
    from mcp import ClientSession
    from mcp_types import Tool as ServerTool

#: Most pages of tools that are read, so that a server that never ends its list does not hold everything up.
_MOST_PAGES: Final = 100
#: How much is kept of what a server writes to standard error: pieces, and bytes of each.
PIECES_KEPT: Final = 8
_PIECE_KEPT: Final = 512


@dataclass(slots=True)
class Live:
    """A server that runs: the session with it, its tools, what ends it, and whether it has ended."""

    session: ClientSession
    tools: tuple[ServerTool, ...]
    end: asyncio.Event
    gone: threading.Event


async def stay_with(command: ServerCommand, ready: Future[Live], errors: deque[bytes]) -> None:
    """Start a server and stay with it until it ends. ``ready`` gets it, or why it could not be had.

    ``errors`` gets the last pieces of its standard error.
    """
    from mcp import ClientSession

    gone = threading.Event()
    end = asyncio.Event()

    def over() -> None:
        gone.set()
        end.set()

    try:
        with _standard_error(errors) as file:
            async with (
                spoken_to(command, file, over) as (incoming, outgoing),
                ClientSession(incoming, outgoing) as session,
            ):
                await session.initialize()
                tools = await _listed(session)
                if not ready.cancelled():
                    ready.set_result(Live(session, tools, end, gone))
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
