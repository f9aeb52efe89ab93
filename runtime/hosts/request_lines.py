"""Messages that a host sends a server, one a line: what is none is answered, where the SDK would drop it.

JSON-RPC 2.0, sections 4.2 and 5: every request gets a response, one that cannot be understood too.
"""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Awaitable, Callable, Iterator
from types import TracebackType
from typing import Any, Final, NamedTuple

import anyio
from mcp.shared.message import SessionMessage
from mcp_types import (
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
)
from mcp_types.jsonrpc import jsonrpc_message_adapter

from .standard_lines import LONGEST, StandardLines

#: Seconds that answers are waited for when the host has closed its end; a write may wait 30 for another process.
PATIENCE_S: Final = 40.0

#: An escape in a JSON string; a half of a surrogate pair without the other is one by itself.
_ESCAPE: Final = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)", re.DOTALL
)

Refuse = Callable[[JSONRPCError], Awaitable[None]]


class RequestLines:
    """The messages in lines, as texts that the SDK reads; ``refuse`` sends what is said to all others.

    A batch counts as its messages, one by one. After the last one what was asked is still answered.
    """

    def __init__(self, lines: StandardLines, refuse: Refuse) -> None:
        self._lines = lines
        self._refuse = refuse
        self._ready: deque[_Sound] = deque()
        self._open: set[str | int] = set()
        self._settled = anyio.Event()

    def __aiter__(self) -> RequestLines:
        return self

    async def __anext__(self) -> str:
        while not self._ready:
            line = await self._lines.line()
            if line == b"":
                await self._finish()
                raise StopAsyncIteration
            for found in _messages(line):
                if isinstance(found, JSONRPCError):
                    await self._refuse(found)
                else:
                    self._ready.append(found)
        found = self._ready.popleft()
        self._note(found.message)
        return found.text

    def _note(self, message: JSONRPCMessage) -> None:
        """Remember what is to be answered. A request that is cancelled never is."""
        if isinstance(message, JSONRPCRequest):
            self._open.add(message.id)
        elif isinstance(message, JSONRPCNotification) and message.method == "notifications/cancelled":
            self.answered((message.params or {}).get("requestId"))

    def answered(self, request: object) -> None:
        """A request has its response; what cannot be an id is none's."""
        if isinstance(request, str | int):
            self._open.discard(request)
            self._settled.set()

    async def _finish(self) -> None:
        with anyio.move_on_after(PATIENCE_S):
            while self._open:
                self._settled = anyio.Event()
                await self._settled.wait()


class _Sound(NamedTuple):
    """A message that the SDK understands, and its text."""

    text: str
    message: JSONRPCMessage


def _messages(line: bytes | None) -> Iterator[_Sound | JSONRPCError]:
    """The messages of a line, and what is said to those that are none; a line of blanks holds none."""
    if line is None:
        yield _refusal(None, INVALID_REQUEST, f"Invalid Request: a message may have {LONGEST} bytes")
        return
    text = _ESCAPE.sub(_sound, line.decode("utf-8", "replace").removeprefix("\ufeff").strip())
    if not text:
        return
    found = _understood(text)
    if found is not None:
        yield found
        return
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
        yield _refusal(None, PARSE_ERROR, f"Parse error: {reason}")
        return
    for one in value if isinstance(value, list) and value else [value]:
        yield _understood(json.dumps(one)) or _refusal(_id_of(one), INVALID_REQUEST, "Invalid Request")


def _sound(escape: re.Match[str]) -> str:
    return r"\ufffd" if escape[1] else escape[0]


def _understood(text: str) -> _Sound | None:
    """The message of a text; None: it is none. A request whose id is of another type is no notification."""
    try:
        message = jsonrpc_message_adapter.validate_json(text, by_name=False)
        is_request = isinstance(message, JSONRPCNotification) and '"id"' in text and "id" in json.loads(text)
    except ValueError:  # Also what pydantic says of a text that is no message.
        return None
    return None if is_request else _Sound(text, message)


def _id_of(value: object) -> str | int | None:
    found = value.get("id") if isinstance(value, dict) else None
    return found if isinstance(found, str | int) and not isinstance(found, bool) else None


def _refusal(request: str | int | None, code: int, message: str) -> JSONRPCError:
    return JSONRPCError(jsonrpc="2.0", id=request, error=ErrorData(code=code, message=message))


class Answers:
    """The stream of what is sent to the host, which tells ``lines`` of every response."""

    def __init__(self, stream: Any, lines: RequestLines) -> None:
        self._stream = stream
        self._lines = lines

    async def send(self, item: SessionMessage, /) -> None:
        """Send a message."""
        await self._stream.send(item)
        if isinstance(item.message, JSONRPCResponse | JSONRPCError):
            self._lines.answered(item.message.id)

    async def aclose(self) -> None:
        """Close the stream."""
        await self._stream.aclose()

    async def __aenter__(self) -> Answers:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()
