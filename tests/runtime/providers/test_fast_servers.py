"""A server that sends faster than its answer can be read: time is kept to, and no more is held than is ever read."""

from __future__ import annotations

from queue import SimpleQueue

import pytest
from loopback.behaviour import Streams
from loopback.server import Loopback

from dcc.runtime.providers import http
from dcc.runtime.providers.abort import Abort
from dcc.runtime.providers.errors import ProviderError
from dcc.runtime.providers.http import Timeouts


def _pump(server: Loopback) -> http._Pump:
    return http._Pump(f"{server.url}/v1/chat/completions", b"{}", dict, Timeouts())


def _taken(items: SimpleQueue[http._Item | None]) -> list[http._Item | None]:
    return [items.get() for _ in range(items.qsize())]


def test_the_time_of_a_call_is_over_however_much_lies_there(monkeypatch: pytest.MonkeyPatch) -> None:
    with Loopback(Streams(b": nothing\n\n" * 10)) as server:
        pump = _pump(server)
        pump.start()
        pump._thread.join()
    waiting = http._Waiting(pump, Timeouts(), http.monotonic() + 60, Abort())
    waiting.head()
    chunks = waiting.chunks()
    monkeypatch.setattr(http, "monotonic", lambda: float("inf"))
    assert pump.items.qsize() > 0
    with pytest.raises(ProviderError, match="the time for the whole call was up"):
        next(chunks)


def test_no_more_is_held_than_is_ever_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "LONGEST", 100_000)
    with Loopback(Streams(b": nothing\n\n" * 500_000)) as server:
        pump = _pump(server)
        pump.start()
        pump._thread.join()
    pieces = [len(item) for item in _taken(pump.items) if isinstance(item, bytes)]
    assert sum(pieces[:-1]) <= 100_000 < sum(pieces)
