"""A server on 127.0.0.1 that speaks both protocols and does what it is told, request by request."""

from __future__ import annotations

import json
import select
import threading
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import ModuleType, TracebackType
from typing import Any

from loopback import anthropic_wire, openai_wire
from loopback.behaviour import Behaviour, Breaks, Hangs, Refuses, Says, Sends, Streams

#: Longest time that anything here waits, in seconds.
PATIENCE_S = 20.0

_WIRES: Mapping[str, ModuleType] = {"/v1/chat/completions": openai_wire, "/v1/messages": anthropic_wire}


@dataclass(frozen=True)
class Seen:
    """A request as it arrived."""

    path: str
    headers: Mapping[str, str]
    raw: bytes

    @property
    def body(self) -> Any:
        return json.loads(self.raw)


class Loopback:
    """The server, while it is entered. Requests past the end of the script are refused with 418."""

    def __init__(self, *script: Behaviour, decide: Callable[[Any], Behaviour] | None = None) -> None:
        self.script = deque(script)
        #: What is done with a request, by its body, once the script is over.
        self.decide = decide
        self.seen: list[Seen] = []
        #: Set when a hanging request sees its client go away.
        self.left = threading.Event()
        #: Set when a request hangs.
        self.hanging = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"loopback": self}))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Loopback:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(PATIENCE_S)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = PATIENCE_S
    loopback: Loopback

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length", 0))
        raw = self.rfile.read(length)
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.loopback.seen.append(Seen(self.path, headers, raw))
        self.close_connection = True
        if self.path not in _WIRES:
            self._whole(404, b'{"error": {"type": "not_found_error", "message": "no such path"}}')
            return
        behaviour = self._next(json.loads(raw))
        try:
            self._behave(behaviour, _WIRES[self.path], bool(json.loads(raw).get("stream")))
        except (BrokenPipeError, ConnectionResetError):
            self.loopback.left.set()

    def _next(self, body: Any) -> Behaviour:
        if self.loopback.script:
            return self.loopback.script.popleft()
        return Refuses(418) if self.loopback.decide is None else self.loopback.decide(body)

    def _behave(self, behaviour: Behaviour, wire: ModuleType, stream: bool) -> None:
        match behaviour:
            case Says() if not stream:
                self._whole(200, json.dumps(wire.whole(behaviour)).encode())
            case Says():
                self._events(wire.events(behaviour))
                self._end()
            case Breaks(says, after, in_order):
                self._events(wire.events(says)[:after])
                if in_order:
                    self._end()
            case Hangs(says, after):
                if after is not None:
                    self._events(wire.events(says)[:after])
                self._hang()
            case Refuses(status, body, headers):
                self._whole(status, body.encode(), headers)
            case Streams(body, size):
                step = size or len(body) or 1
                self._events([body[at : at + step] for at in range(0, len(body), step)])
                self._end()
            case Sends(body):
                self._whole(200, body)

    def _whole(self, status: int, body: bytes, headers: tuple[tuple[str, str], ...] = ()) -> None:
        self.send_response(status)
        for name, value in (("Content-Type", "application/json"), ("Content-Length", str(len(body))), *headers):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def _events(self, events: list[bytes]) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream; charset=utf-8")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for event in events:
            self.wfile.write(b"%x\r\n%b\r\n" % (len(event), event))
            self.wfile.flush()

    def _end(self) -> None:
        self.wfile.write(b"0\r\n\r\n")

    def _hang(self) -> None:
        self.loopback.hanging.set()
        select.select([self.connection], [], [], PATIENCE_S)
        self.loopback.left.set()

    def log_message(self, format: str, *args: Any) -> None:
        """The tests look at ``seen``; nothing is printed."""
