"""What differs between the two protocols: a dialect writes the request and reads the stream."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Protocol

from ..kernel.content import parse_object
from ..values import Format
from ..view.wire import wire_name
from .classify import classify
from .errors import ProviderError
from .keys import Key
from .protocol import ModelReply, ModelRequest, OnText, Tool
from .sse import Event


class Reader(Protocol):
    """Puts a reply together from what comes."""

    #: Whether the model has said that it is done.
    is_finished: bool

    def take(self, event: Event) -> bool:
        """Take one event of a stream; True when it is the last. Raises ProviderError."""

    def take_whole(self, document: Mapping[str, Any]) -> None:
        """Take a reply that came in one piece. Raises ProviderError."""

    def reply(self, *, aborted: bool = False) -> ModelReply:
        """The reply as far as it has come."""


class Dialect(Protocol):
    """One protocol. ``path`` is where requests go, below the base URL."""

    name: str
    format: Format
    path: str

    def headers(self, key: Key | None) -> dict[str, str]:
        """The headers of a request, with the key where there is one."""

    def body(self, request: ModelRequest) -> dict[str, Any]:
        """The body of a request. ``request`` is not changed."""

    def reader(self, request: ModelRequest, on_text: OnText, on_thinking: OnText) -> Reader:
        """A fresh reader of the reply to ``request``."""

    def after(self, refusal: ProviderError, request: ModelRequest) -> Dialect | None:
        """The dialect that a server wants the same request in, by what it refused it with; None: in no other."""


class ToolNames:
    """The names of a request's tools as they go over the wire, and back. ``pairs``: (wire name, tool).

    Raises ProviderError (``bad_request``) when two tools have the same wire name.
    """

    def __init__(self, tools: tuple[Tool, ...]) -> None:
        self._own: dict[str, str] = {}
        self.pairs = tuple((wire_name(tool.name), tool) for tool in tools)
        for wire, tool in self.pairs:
            other = self._own.setdefault(wire, tool.name)
            if other != tool.name:
                raise ProviderError(
                    "bad_request", f"the tools {other} and {tool.name} are both {wire} for the provider",
                    help="rename one of them: letters, digits, _ and -, at most 64 characters",
                )  # fmt: skip

    def own(self, wire: str) -> str:
        """The tool's own name; a name that no tool has stays as it came."""
        return self._own.get(wire, wire)


def read_object(text: str, what: str) -> dict[str, Any]:
    """The JSON object in ``text``. Raises ProviderError (``malformed``)."""
    document = parse_object(text)
    if document is None:
        start = text[:60] + ("…" if len(text) > 60 else "")
        raise ProviderError("malformed", f"{what} is not a JSON object: {start!r}")
    return document


def mapping_of(value: object, what: str) -> Mapping[str, Any]:
    """``value`` when it is an object. Raises ProviderError (``malformed``)."""
    if not isinstance(value, Mapping):
        raise ProviderError("malformed", f"{what} is not an object")
    return value


def list_of(value: object, what: str) -> list[Any]:
    """``value`` when it is a list. Raises ProviderError (``malformed``)."""
    if not isinstance(value, list):
        raise ProviderError("malformed", f"{what} is not a list")
    return value


def stream_error(name: str, document: Mapping[str, Any]) -> ProviderError:
    """The error that came in the place of an event."""
    verdict = classify(None, dict(document))
    message = f"{name} broke off the reply ({verdict.kind}): {verdict.said}"
    return ProviderError(verdict.kind, message, retryable=verdict.retryable)


def encode_body(body: Mapping[str, Any]) -> bytes:
    """A request body as it goes out. Raises ProviderError (``bad_request``) for what JSON cannot hold."""
    try:
        text = json.dumps(body, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise ProviderError("bad_request", f"the request cannot be written as JSON: {error}") from None
    return text.encode("utf-8", "replace")
