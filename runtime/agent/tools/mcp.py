"""Tools of MCP servers (Model Context Protocol): processes that are spoken to over their standard streams.

The official SDK does the talking; it is the extra ``mcp`` of the distribution and is imported when the first server is
started. A server that dies in the middle of a call is started again, once for that call.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import threading
from collections import deque
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from ...providers.abort import Abort
from .arguments import ToolError
from .mcp_results import output_of
from .portal import Late, Portal
from .tool import AgentTool, Run, ToolContext, ToolOutput, failed

if TYPE_CHECKING:
    from mcp import ClientSession
    from mcp_types import Tool as ServerTool

#: Longest time for a server to start and to list its tools, in seconds.
STARTING_S: Final = 30.0
#: Longest time for a call where the ruleset names none, in seconds.
CALL_S: Final = 120.0
#: Longest time for a server to end when it is asked to; the SDK kills it after four.
_ENDING_S: Final = 8.0
#: Most pages of tools that are read, so that a server that never ends its list does not hold everything up.
_MOST_PAGES: Final = 100
#: How much is kept of what a server writes to standard error, in pieces and bytes a piece.
_ERRORS_KEPT: Final = (8, 512)


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
class _Live:
    """A server that runs: the session with it, its tools, and what ends it."""

    session: ClientSession
    tools: tuple[ServerTool, ...]
    end: asyncio.Event
    is_dead: bool = False


class Server:
    """One server. It is started by :meth:`begin`, and again by a call when it has died."""

    def __init__(self, command: ServerCommand, portal: Portal) -> None:
        self.command = command
        self._portal = portal
        self._lock = threading.Lock()
        self._ready: Future[_Live] | None = None
        self._life: Future[None] | None = None
        self._errors: deque[bytes] = deque(maxlen=_ERRORS_KEPT[0])
        self._is_closed = False

    def begin(self) -> None:
        """Start it; :meth:`tools` waits for it. Raises ToolError (``no_mcp``) when the SDK is not installed."""
        _require_sdk()
        self._errors.clear()
        self._ready = Future()
        self._life = self._portal.start(self._live(self._ready))

    def tools(self) -> tuple[AgentTool, ...]:
        """What it offers. Raises ToolError (``no_server``)."""
        return tuple(self._tool(tool) for tool in self._running(Abort(), STARTING_S).tools)

    def close(self) -> None:
        """End it: its standard input closes, and it is killed when that does not help."""
        self._is_closed = True
        ready, life = self._ready, self._life
        if ready is None or life is None:
            return
        if ready.done() and ready.exception() is None:
            self._portal.loop.call_soon_threadsafe(ready.result().end.set)
        else:
            life.cancel()
        with contextlib.suppress(Late, Exception):
            self._portal.wait(life, _ENDING_S)

    def _tool(self, tool: ServerTool) -> AgentTool:
        hints = tool.annotations
        repeatable = hints is not None and bool(hints.read_only_hint or hints.idempotent_hint)
        return AgentTool(
            tool.name, tool.description or "", tool.input_schema, self._runner(tool.name, repeatable), self.command.name
        )

    def _runner(self, tool: str, repeatable: bool) -> Run:
        def run(arguments: Mapping[str, Any], context: ToolContext) -> ToolOutput:
            try:
                return self._call(tool, repeatable, dict(arguments), context)
            except ToolError as error:
                return failed(error.message, error.help)

        return run

    def _call(self, tool: str, repeatable: bool, arguments: dict[str, Any], context: ToolContext) -> ToolOutput:
        seconds = min(self.command.timeout_s, context.deadline_s)
        live = self._running(context.abort, seconds)
        output = self._ask(live, tool, arguments, seconds, context.abort)
        if output is not None:
            return output
        name = self.command.name
        live = self._running(context.abort, seconds)
        if not repeatable:
            # What was started and not answered is not done again (kernel.md section 3).
            return failed(
                f"the server {name} died during {tool}; it runs again",
                "it is not known whether the call took effect: find out before it is repeated",
            )
        output = self._ask(live, tool, arguments, seconds, context.abort)
        return output or failed(f"the server {name} died during {tool}, and once more when the call was repeated")

    def _running(self, abort: Abort, seconds: float) -> _Live:
        """The running server; one that has died is started again. Raises ToolError (``no_server``)."""
        with self._lock:
            if self._is_closed:
                raise ToolError("no_server", f"the MCP server {self.command.name} is closed")
            if self._ready is None or self._has_ended():
                self.begin()
            assert self._ready is not None
            try:
                return self._portal.wait(self._ready, min(seconds, STARTING_S), abort)
            except Late:
                self._give_up()
                raise self._fault("it was not ready in time") from None
            except Exception as error:  # see below
                raise self._fault(_reason(error)) from None

    def _has_ended(self) -> bool:
        ready = self._ready
        if ready is None or not ready.done():
            return ready is None
        return ready.cancelled() or ready.exception() is not None or ready.result().is_dead

    def _give_up(self) -> None:
        if self._life is not None:
            self._life.cancel()

    def _ask(
        self, live: _Live, tool: str, arguments: dict[str, Any], seconds: float, abort: Abort
    ) -> ToolOutput | None:
        """The answer of a call; None: the server died."""
        name = self.command.name
        try:
            result = self._portal.wait(self._portal.start(live.session.call_tool(tool, arguments)), seconds, abort)
        except Late:
            if abort.is_set:
                return failed(f"{tool} was stopped: the run was aborted")
            return failed(f"{tool} was stopped: the server {name} had not answered within {seconds:g} s")
        except Exception as error:  # see below
            return None if live.is_dead else failed(f"the server {name} refused {tool}: {_reason(error)}")
        return output_of(result)

    async def _live(self, ready: Future[_Live]) -> None:
        """The life of the server, from its start until it is asked to end or dies."""
        from mcp import ClientSession, StdioServerParameters
        from mcp.client.stdio import stdio_client

        command = self.command
        parameters = StdioServerParameters(
            command=command.command, args=list(command.args), env=dict(command.environment), cwd=command.folder,
            encoding_error_handler="replace",
        )  # fmt: skip
        try:
            with self._standard_error() as errors:
                async with stdio_client(parameters, errlog=errors) as (incoming, outgoing):
                    end = asyncio.Event()
                    relay = _Relay(incoming, end)
                    async with relay.running() as source, ClientSession(source, outgoing) as session:
                        await session.initialize()
                        live = relay.live = _Live(session, await _listed(session), end)
                        if not ready.cancelled():
                            ready.set_result(live)
                            await end.wait()
        except asyncio.CancelledError:
            ready.cancel()
            raise
        except Exception as error:  # the SDK raises what it likes, in groups
            if not ready.done():
                ready.set_exception(error)

    @contextlib.contextmanager
    def _standard_error(self) -> Any:
        """A file for the server's standard error; its last pieces are kept for messages."""
        reading, writing = os.pipe()
        os.set_blocking(reading, False)
        loop = asyncio.get_running_loop()

        def take() -> None:
            with contextlib.suppress(BlockingIOError):
                piece = os.read(reading, 1 << 16)
                if not piece:
                    loop.remove_reader(reading)
                self._errors.append(piece[-_ERRORS_KEPT[1] :])

        loop.add_reader(reading, take)
        try:
            with open(writing, "w", encoding="utf-8") as file:
                yield file
        finally:
            take()
            loop.remove_reader(reading)
            os.close(reading)

    def _fault(self, reason: str) -> ToolError:
        lines = b"".join(self._errors).decode("utf-8", "replace").strip().splitlines()
        said = f"; its last words: {lines[-1][:200]}" if lines else ""
        return ToolError(
            "no_server", f"the MCP server {self.command.name} cannot be used: {reason}{said}",
            help=f"look at its command: {self.command.command}",
        )  # fmt: skip


class _Relay:
    """Passes on what comes from a server, and notes when nothing more can come."""

    def __init__(self, incoming: Any, end: asyncio.Event) -> None:
        self._incoming = incoming
        self._end = end
        self.live: _Live | None = None

    @contextlib.asynccontextmanager
    async def running(self) -> Any:
        import anyio

        sink, source = anyio.create_memory_object_stream[Any](0)

        async def run() -> None:
            try:
                async with sink:
                    async for message in self._incoming:
                        await sink.send(message)
            except (anyio.ClosedResourceError, anyio.BrokenResourceError):
                pass
            finally:
                if self.live is not None:
                    self.live.is_dead = True
                    self._end.set()

        async with anyio.create_task_group() as group:
            group.start_soon(run)
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


def _require_sdk() -> None:
    try:
        import mcp  # noqa: F401
    except ImportError:
        raise ToolError(
            "no_mcp", "MCP servers need the SDK of the protocol, which is not installed",
            help="run: python -m pip install 'dcc-context[mcp]'",
        ) from None  # fmt: skip
    # What a server writes amiss is told in the answer; it is not to be printed over a person's screen as well.
    logger = logging.getLogger("mcp")
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())


def _reason(error: BaseException) -> str:
    """The innermost error of a group, in a line."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    if isinstance(error, OSError):
        return (error.strerror or str(error)).lower()
    return str(error) or type(error).__name__
