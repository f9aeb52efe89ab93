"""``dcc mcp --canon``: the tool ``canon`` for any host that speaks the Model Context Protocol, over standard streams.

The official SDK does the talking; where it differs from section 12 of the specification, it is right. Stores are
those of the folder that the host works in, without mounts, retrieval or the user's settings: what surfaces unasked is
the part of hooks.
"""

from __future__ import annotations

import os
import sys
from collections import OrderedDict
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from io import FileIO
from typing import Any, Final, cast
from urllib.parse import unquote, urlsplit

import anyio
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError
from mcp.shared.message import SessionMessage
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    JSONRPCError,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    Tool,
)

from ..memory import tool as canon_tool
from ..memory.canon import Canon
from ..memory.desk import Provenance
from ..memory.errors import CanonError
from ..memory.options import Options
from ..memory.reply import Reply, refusal_of
from ..memory.sound import sound
from .caller import caller_of, session_of
from .request_lines import Answers, RequestLines
from .standard_lines import StandardLines

#: By this Codex says in which folder a call is made.
SANDBOX: Final = "codex/sandbox-state-meta"

#: Under these a result holds the code of the reply and the address that it is about.
CODE: Final = "dcc/code"
ADDRESS: Final = "dcc/address"

_INFERRED: Final = "mcp"

#: Folders, callers and sessions that are kept in mind at once; of the one used longest ago it is forgotten what it saw.
MOST: Final = 64


class CanonServer:
    """One canon for each folder, caller and session that calls come from. ``cwd``: where none is named."""

    def __init__(self, cwd: str, environ: Mapping[str, str] = os.environ, *, read_only: bool = False) -> None:
        self._cwd = cwd
        self._environ = environ
        self._read_only = read_only
        self._canons: OrderedDict[tuple[str, str, str], Canon] = OrderedDict()

    @property
    def caller(self) -> str:
        """The program that started the server."""
        return caller_of(self._environ, _INFERRED)

    def call(self, arguments: Mapping[str, object], meta: Mapping[str, Any]) -> Reply:
        """Answer a call of the tool with what the host says of it."""
        try:
            canon = self._canon(meta)
        except CanonError as error:
            return sound(refusal_of(error))
        return canon.call(arguments)

    def _canon(self, meta: Mapping[str, Any]) -> Canon:
        """The canon of a call. Raises CanonError (``no_folder``): a folder that is not there is not made."""
        thread, session = _named(meta, "threadId"), _named(meta, "sessionId")
        session = thread or session or session_of(self._environ)
        caller = caller_of(self._environ, "codex" if thread or SANDBOX in meta else _INFERRED)
        cwd = _folder_of(meta) or self._cwd
        if not os.path.isdir(cwd):
            raise CanonError("no_folder", f"{cwd!r} is no folder", help="call where the project's folder is")
        key = (cwd, caller, session)
        if key not in self._canons:
            by = Provenance(harness=caller, session=session)
            self._canons[key] = Canon(cwd, Options(), read_only=self._read_only, provenance=by)
        self._canons.move_to_end(key)
        if len(self._canons) > MOST:
            self._canons.popitem(last=False)
        return self._canons[key]

    async def serve(self) -> None:
        """Serve on standard input and output until they end, or nobody reads the answers any more."""
        try:
            await self._serve()
        except* BrokenPipeError:
            pass

    async def _serve(self) -> None:
        one_at_a_time = anyio.Lock()
        said = canon_tool.description(Options())

        async def list_tools(_: Any, params: PaginatedRequestParams | None) -> ListToolsResult:
            tool = Tool(name=canon_tool.NAME, title="canon", description=said, input_schema=canon_tool.PARAMETERS)
            return ListToolsResult(tools=[tool])

        async def call_tool(_: Any, params: CallToolRequestParams) -> CallToolResult:
            if params.name != canon_tool.NAME:
                raise MCPError(INVALID_PARAMS, f'Unknown tool "{params.name}".')
            meta: dict[str, Any] = dict(params.meta or {})
            async with one_at_a_time:
                return await anyio.to_thread.run_sync(self._result, params.arguments or {}, meta)

        server: Server[Any] = Server(
            f"canon-{self.caller}", version=_version(), instructions=said, on_list_tools=list_tools,
            on_call_tool=call_tool,
        )  # fmt: skip
        options = server.create_initialization_options(NotificationOptions(), {SANDBOX: {}})
        refusing, refused = anyio.create_memory_object_stream[JSONRPCError](0)
        lines = RequestLines(StandardLines(FileIO(sys.stdin.fileno(), closefd=False)), refusing.send)

        async def refuse(outgoing: Answers) -> None:
            async for refusal in refused:
                await outgoing.send(SessionMessage(refusal))

        # The SDK asks no more of standard input than that its lines come one after the other.
        async with stdio_server(stdin=cast("anyio.AsyncFile[str]", lines)) as (incoming, out), refusing, refused:
            outgoing = Answers(out, lines)
            async with anyio.create_task_group() as group:
                group.start_soon(refuse, outgoing)
                await server.run(incoming, outgoing, options)
                group.cancel_scope.cancel()

    def _result(self, arguments: Mapping[str, object], meta: Mapping[str, Any]) -> CallToolResult:
        try:
            reply = self.call(arguments, meta)
        except Exception as error:  # a fault of ours is an answer, and the server goes on
            return _said(f"canon failed: {type(error).__name__}: {error}", {}, is_error=True)
        return _said(reply.text, {CODE: reply.code, ADDRESS: reply.address}, is_error=False)


def _said(text: str, meta: dict[str, Any], *, is_error: bool) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=text)], is_error=is_error, _meta=meta)


def _named(meta: Mapping[str, Any], name: str) -> str:
    value = meta.get(name)
    return value if isinstance(value, str) else ""


def _folder_of(meta: Mapping[str, Any]) -> str:
    """The folder that Codex names: a path, or the URL of one; empty when it names none."""
    sandbox = meta.get(SANDBOX)
    named = _named(sandbox, "sandboxCwd") if isinstance(sandbox, Mapping) else ""
    if not named.startswith("file:"):
        return named if os.path.isabs(named) else ""
    try:
        return unquote(urlsplit(named).path)
    except ValueError:
        raise CanonError("no_folder", f"{named!r} is no URL of a folder", help="name it as file:///…") from None


def _version() -> str:
    try:
        return version("dcc-context")
    except PackageNotFoundError:
        return ""
