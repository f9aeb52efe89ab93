"""Tools of MCP servers (Model Context Protocol): processes that are spoken to over their standard streams.

The official SDK does the talking; it is the extra ``mcp`` of the distribution and is imported when the first server is
started. A server that dies in the middle of a call is started again, once for that call.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
import time
from collections import deque
from collections.abc import Mapping
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, Final

from ....compiler.reason import reason_of
from ...providers.abort import Abort
from .arguments import ToolError
from .mcp_life import PIECES_KEPT, Live, ServerCommand, stay_with
from .mcp_results import output_of
from .portal import Late, Portal
from .tool import AgentTool, Run, ToolContext, ToolOutput, failed

if TYPE_CHECKING:
    from mcp_types import Tool as ServerTool

#: Longest time for a server to start and to list its tools, in seconds.
STARTING_S: Final = 30.0
#: Longest time for a server to end when it is asked to; the SDK kills it after four.
_ENDING_S: Final = 8.0
#: Time for a server that died to start again, though the time of its call be over: the next call needs it.
_AGAIN_S: Final = 5.0
#: Time in which the end of a server is heard of on all ways, in seconds.
_HEARING_S: Final = 1.0


class Server:
    """One server. It is started by :meth:`begin`, and again by a call when it has died."""

    def __init__(self, command: ServerCommand, portal: Portal) -> None:
        self.command = command
        self._portal = portal
        self._lock = threading.Lock()
        self._ready: Future[Live] | None = None
        self._life: asyncio.Task[None] | None = None
        #: Lives before this one, which may still be ending their process.
        self._ending: list[asyncio.Task[None]] = []
        self._errors: deque[bytes] = deque(maxlen=PIECES_KEPT)
        self._is_closed = False

    def begin(self) -> None:
        """Start it; :meth:`tools` waits for it. Raises ToolError (``no_mcp``) when the SDK is not installed."""
        _require_sdk()
        self._errors.clear()
        self._ready = Future()
        self._ending = [life for life in (*self._ending, self._life) if life is not None and not life.done()]
        self._life = self._portal.begin(stay_with(self.command, self._ready, self._errors))

    def tools(self, abort: Abort, until: float) -> tuple[AgentTool, ...]:
        """What it offers. It is waited for until a time by the monotonic clock. Raises ToolError (``no_server``)."""
        return tuple(self._tool(tool) for tool in self._running(abort, until).tools)

    def stop(self) -> None:
        """Begin to end it: its standard input closes, and it is killed when that does not help."""
        self._is_closed = True
        ready, life = self._ready, self._life
        if ready is None or life is None:
            return
        if ready.done() and not ready.cancelled() and ready.exception() is None:
            self._portal.loop.call_soon_threadsafe(ready.result().end.set)
        else:
            self._give_up()

    def close(self) -> None:
        """End it, and wait until it has ended: the loop takes its process along in the end, but not what is ending."""
        self.stop()
        until = time.monotonic() + _ENDING_S
        for life in (*self._ending, *([self._life] if self._life is not None else [])):
            with contextlib.suppress(Late):
                self._portal.join(life, until - time.monotonic())

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
        until = time.monotonic() + seconds
        name = self.command.name
        live = self._running(context.abort, until)
        output = self._ask(live, tool, arguments, until, context.abort)
        if output is not None:
            return output
        if live.faults:
            return failed(
                f"the server {name} was ended during {tool}: {live.faults[0]}", "ask for less at once; it starts again"
            )
        live = self._running(context.abort, max(until, time.monotonic() + _AGAIN_S))
        if not repeatable:
            # What was started and not answered is not done again (kernel.md section 3).
            return failed(
                f"the server {name} died during {tool}; it runs again",
                "it is not known whether the call took effect: find out before it is repeated",
            )
        output = self._ask(live, tool, arguments, until, context.abort)
        return output or failed(f"the server {name} died during {tool}, and once more when the call was repeated")

    def _running(self, abort: Abort, until: float) -> Live:
        """The running server; one that has died is started again. ``until`` is of the monotonic clock.

        Raises ToolError (``no_server``).
        """
        with self._lock:
            if self._is_closed:
                raise ToolError("no_server", f"the MCP server {self.command.name} is closed")
            if self._ready is None or self._has_ended():
                self.begin()
            assert self._ready is not None
            try:
                return self._portal.wait(self._ready, min(until - time.monotonic(), STARTING_S), abort)
            except Late:
                self._give_up()
                why = "the run was stopped before it was ready" if abort.is_set else "it was not ready in time"
                raise self._fault(why) from None
            except Exception as error:  # the SDK raises what it likes, in groups: it is told in one line
                raise self._fault(_reason(error)) from None

    def _has_ended(self) -> bool:
        ready = self._ready
        if ready is None or not ready.done():
            return ready is None
        return ready.cancelled() or ready.exception() is not None or ready.result().gone.is_set()

    def _give_up(self) -> None:
        """Cancel its life, once: a second time would break off the end of its process."""
        life, self._life = self._life, None
        if life is not None:
            self._ending.append(life)
            self._portal.loop.call_soon_threadsafe(life.cancel)

    def _ask(
        self, live: Live, tool: str, arguments: dict[str, Any], until: float, abort: Abort
    ) -> ToolOutput | None:
        """The answer of a call; None: the server died."""
        name, seconds = self.command.name, until - time.monotonic()
        try:
            result = self._portal.wait(self._portal.start(live.session.call_tool(tool, arguments)), seconds, abort)
        except Late:
            if abort.is_set:
                return failed(f"{tool} was stopped: the run was aborted")
            return failed(f"{tool} was stopped: the server {name} had not answered in {seconds:.1f} s")
        except Exception as error:  # the SDK raises what it likes, in groups: it is told in one line
            return None if _has_died(live, error) else failed(f"the server {name} refused {tool}: {_reason(error)}")
        return output_of(result)

    def _fault(self, reason: str) -> ToolError:
        lines = b"".join(self._errors).decode("utf-8", "replace").strip().splitlines()
        said = f"; its last words: {lines[-1][:200]}" if lines else ""
        return ToolError(
            "no_server", f"the MCP server {self.command.name} cannot be used: {reason}{said}",
            help=f"look at its command: {self.command.command}",
        )  # fmt: skip


def _has_died(live: Live, error: Exception) -> bool:
    """Whether a call failed because the server is gone; a pipe that breaks may be heard of a moment before."""
    from mcp_types import CONNECTION_CLOSED

    if getattr(error, "code", None) == CONNECTION_CLOSED:
        live.gone.wait(_HEARING_S)
    return live.gone.is_set()


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
        return reason_of(error)
    return str(error) or type(error).__name__
