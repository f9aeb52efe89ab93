"""One HTTP exchange whose waits are bounded and which an abort ends at once.

The exchange runs in a thread of its own and hands over what comes, piece by piece; the thread that called waits
for pieces, the clock and the abort together. A blocked read cannot be interrupted, but its socket can be shut
down: so each exchange has a connection of its own, and closing it harms no other.
"""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from ipaddress import ip_address
from queue import Empty, SimpleQueue
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from .abort import Abort
from .errors import ProviderError

if TYPE_CHECKING:
    import httpx

#: Longest answer that is read, in bytes: far above any model's, far below what would hurt the machine.
LONGEST = 64 * 2**20

#: Characters of an error's own words that are shown.
_SHOWN = 200


@dataclass(frozen=True, slots=True)
class Timeouts:
    """How long to wait, in seconds: for a connection, for the first piece of the answer, between two pieces."""

    connect_s: float = 10.0
    first_byte_s: float = 180.0
    between_s: float = 90.0


class Head(NamedTuple):
    """Status and headers (names in lower case) of an answer."""

    status: int
    headers: Mapping[str, str]


class _Connected(NamedTuple):
    """The connection stands; with TLS it says so twice."""


class _End(NamedTuple):
    """The answer is over: as it should be, or by an error."""

    error: Exception | None


_Item = _Connected | Head | bytes | _End


class Answer(NamedTuple):
    """An answer that is coming: its head, and its body in pieces."""

    head: Head
    chunks: Iterator[bytes]


@contextmanager
def exchange(
    url: str,
    body: bytes,
    headers: Callable[[], Mapping[str, str]],
    *,
    timeouts: Timeouts,
    deadline: float,
    abort: Abort,
) -> Iterator[Answer]:
    """POST ``body`` and give the answer as it comes. On leaving, the connection is closed.

    ``headers`` is asked for when the request goes out, so that no key lies about in a variable. ``deadline`` is
    a time of ``time.monotonic``. Raises ProviderError: ``timeout``, ``network``, ``malformed``, ``aborted``;
    so do the pieces of the body.
    """
    pump = _Pump(url, body, headers, timeouts)
    waiting = _Waiting(pump, timeouts, deadline, abort)
    with abort.waking(pump.wake):
        try:
            pump.start()
            yield Answer(waiting.head(), waiting.chunks())
        finally:
            pump.close()


class _Waiting:
    """The calling side: takes pieces from the pump, watches the clock and the abort."""

    def __init__(self, pump: _Pump, timeouts: Timeouts, deadline: float, abort: Abort) -> None:
        self._pump = pump
        self._timeouts = timeouts
        self._deadline = deadline
        self._abort = abort

    def head(self) -> Head:
        times = self._timeouts
        item = self._next(times.connect_s + times.first_byte_s, "answer")
        while isinstance(item, _Connected):
            item = self._next(times.first_byte_s, "answer")
        if isinstance(item, Head):
            return item
        raise self._broken(item)

    def chunks(self) -> Iterator[bytes]:
        limit, what, total = self._timeouts.first_byte_s, "first piece of the answer", 0
        while True:
            item = self._next(limit, what)
            if not isinstance(item, bytes):
                if isinstance(item, _End) and item.error is None:
                    return
                raise self._broken(item)
            total += len(item)
            if total > LONGEST:
                raise ProviderError("malformed", f"the answer is longer than {LONGEST:,} bytes")
            limit, what = self._timeouts.between_s, "next piece of the answer"
            yield item

    def _next(self, limit_s: float, what: str) -> _Item | None:
        left = self._deadline - monotonic()
        try:
            if left <= 0 and not self._abort.is_set:
                raise Empty  # However much lies there: a server may send faster than its answer can be read.
            item = None if self._abort.is_set else self._pump.items.get(timeout=max(0.0, min(limit_s, left)))
        except Empty:
            if left <= limit_s:
                message = "the time for the whole call was up"
            else:
                message = f"{self._pump.place} sent nothing for {limit_s:g} s; expected the {what}"
            raise ProviderError("timeout", message) from None
        if self._abort.is_set:
            raise ProviderError("aborted", "the call was aborted")
        return item

    def _broken(self, item: object) -> ProviderError:
        import httpx

        place = self._pump.place
        error = item.error if isinstance(item, _End) else None
        if isinstance(error, httpx.ConnectTimeout):
            limit = f"{self._timeouts.connect_s:g} s"
            return ProviderError("timeout", f"no connection to {place} within {limit}", retryable=True)
        if isinstance(error, httpx.TimeoutException):
            return ProviderError("timeout", f"{place} sent nothing for too long")
        if isinstance(error, httpx.ConnectError):
            return ProviderError(
                "network", f"{place} cannot be reached: {error}",
                help="start the server, or check provider.base_url and the connection", retryable=True,
            )  # fmt: skip
        if isinstance(error, (httpx.InvalidURL, ImportError, ValueError)):
            # The address of the server was looked at before: it is that of a proxy.
            said = str(error).partition(". ")[0][:_SHOWN]
            return ProviderError(
                "network", f"the proxy to {place} cannot be used: {said}",
                help="check HTTP_PROXY, HTTPS_PROXY and ALL_PROXY in the environment, or name the server in NO_PROXY",
            )  # fmt: skip
        return ProviderError("network", f"the connection to {place} broke before the end", retryable=True)


class _Pump:
    """The sending side: runs the exchange in a thread and puts what comes into ``items``."""

    def __init__(
        self, url: str, body: bytes, headers: Callable[[], Mapping[str, str]], timeouts: Timeouts
    ) -> None:
        self.items: SimpleQueue[_Item | None] = SimpleQueue()
        self.place = place_of(url)
        self._url = url
        self._body = body
        self._headers = headers
        self._timeouts = timeouts
        self._closed = False
        self._streams: list[Any] = []
        self._thread = threading.Thread(target=self._run, name="dcc provider", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def wake(self) -> None:
        """Make the waiting side look at its abort; called from any thread, or a signal handler."""
        self.items.put(None)

    def close(self) -> None:
        """Shut the connection down: a read that blocks in the thread ends at once."""
        self._closed = True
        for stream in self._streams:
            found = stream.get_extra_info("socket")
            if found is not None:
                try:
                    # Not SSLSocket.shutdown: that would pull the TLS state from under the reading thread.
                    socket.socket.shutdown(found, socket.SHUT_RDWR)
                except OSError:
                    continue

    def _run(self) -> None:
        error: Exception | None = None
        try:
            self._exchange()
        except Exception as raised:  # Whatever it is, it is told by the thread that waits.
            error = raised
        finally:
            self.items.put(_End(error))

    def _exchange(self) -> None:
        import httpx

        times = self._timeouts
        waits = httpx.Timeout(max(times.first_byte_s, times.between_s), connect=times.connect_s)
        with (
            httpx.Client(
                verify=_trust(), timeout=waits, follow_redirects=False, trust_env=not _is_local(self._url)
            ) as client,
            client.stream(
                "POST", self._url, content=self._body, auth=self._sign,
                # Nothing compressed: a piece is handed on when it comes, and is as long as it looks.
                headers={"Accept-Encoding": "identity"}, extensions={"trace": self._trace},
            ) as response,
        ):  # fmt: skip
            self.items.put(Head(response.status_code, dict(response.headers)))
            total = 0
            for chunk in response.iter_bytes():
                if self._closed:
                    return
                self.items.put(chunk)
                total += len(chunk)
                if total > LONGEST:
                    return  # Who waits for it refuses it: no more than that is held for a reader that is slower.

    def _sign(self, request: httpx.Request) -> httpx.Request:
        request.headers.update(self._headers())
        return request

    def _trace(self, name: str, info: Mapping[str, Any]) -> None:
        """Keep hold of the connection, from its first moment (httpx, extension ``trace``)."""
        if name.endswith(("connect_tcp.complete", "start_tls.complete")):
            stream = info["return_value"]
            self._streams.append(stream)
            self.items.put(_Connected())
            if self._closed:  # before there was anything to shut down
                stream.close()
                raise ConnectionAbortedError


def place_of(url: str) -> str:
    """Scheme, host and port of a URL, for messages: the rest may hold what is nobody's business."""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    return f"{parts.scheme}://{host}"


def _is_local(url: str) -> bool:
    """Whether a URL is of this machine: no proxy of the environment may stand between."""
    host = urlsplit(url).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


@cache
def _trust() -> ssl.SSLContext:
    """The certificates that are trusted: loading them takes longer than a request takes to send."""
    import httpx

    return httpx.create_ssl_context()
