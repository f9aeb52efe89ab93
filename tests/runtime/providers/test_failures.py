"""What goes wrong at a provider: which error it is, what is tried again, and what is never said."""

from __future__ import annotations

import logging
import socket

import pytest
from loopback.behaviour import Behaviour, Breaks, Hangs, Refuses, Says, Sends, Streams
from loopback.client import AT_ONCE, PROTOCOLS, asks, provider
from loopback.server import PATIENCE_S, Loopback

from dcc.runtime.providers.errors import ProviderError
from dcc.runtime.providers.http import Timeouts
from dcc.runtime.providers.retry import Retries

OK = Says(("ok",))
TALK = Says(("one ", "two ", "three"), usage={"prompt_tokens": 1, "input_tokens": 1, "output_tokens": 1})

#: The events before the first piece of text.
BEFORE_TEXT = {"openai": 1, "anthropic": 3}


def failure(protocol: str, *script: Behaviour, retries: Retries = AT_ONCE) -> tuple[ProviderError, Loopback]:
    """The error that a server with this script ends in."""
    with Loopback(*script) as server, pytest.raises(ProviderError) as caught:
        provider(protocol, server.url, retries=retries).complete(asks())
    return caught.value, server


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize(
    "passing",
    [
        Refuses(429),
        Refuses(429, headers=(("Retry-After", "0"),)),
        Refuses(429, headers=(("Retry-After", "Wed, 21 Oct 2015 07:28:00 GMT"),)),
        Refuses(500),
        Refuses(503),
        Refuses(529, '{"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}'),
        Breaks(OK, 0),
        Breaks(OK, 0, in_order=True),
        Breaks(OK, 1),
        Streams(b'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"busy"}}\n\n'),
        Streams(b'data: {"error": {"type": "server_error", "message": "busy"}}\n\n'),
    ],
    ids=repr,
)
def test_what_passes_is_tried_again(protocol: str, passing: Behaviour) -> None:
    with Loopback(passing, passing, OK) as server:
        reply = provider(protocol, server.url).complete(asks())
    assert reply.reply.text == "ok"
    assert len(server.seen) == 3
    assert len({seen.raw for seen in server.seen}) == 1


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_it_is_not_tried_for_ever(protocol: str) -> None:
    error, server = failure(protocol, *[Refuses(500)] * 9, retries=Retries(attempts=3, first_wait_s=0.0))
    assert (error.kind, error.status, len(server.seen)) == ("overloaded", 500, 3)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_server_that_asks_for_a_long_wait_is_not_asked_again(protocol: str) -> None:
    error, server = failure(protocol, Refuses(429, headers=(("Retry-After", "3600"),)), OK)
    assert (error.kind, error.retry_after_s, len(server.seen)) == ("rate_limit", 3600.0, 1)
    assert "(rate_limit): no; it asks to wait 3600 s" in error.message


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize(
    ("behaviour", "kind", "said"),
    [
        (Refuses(401, '{"error": {"message": "bad key"}}'), "auth", "answered 401 (auth): bad key"),
        (Refuses(403), "auth", "no"),
        (Refuses(402), "billing", "no"),
        (Refuses(404, "<html>nothing here</html>"), "bad_request", "<html>nothing here</html>"),
        (Refuses(400, '{"error": {"message": "prompt is too long: 9 > 8"}}'), "context_overflow", "too long"),
        (Refuses(413, ""), "context_overflow", "it gave no reason"),
        (Refuses(307), "bad_request", "points to another address"),
        (Streams(b"data: {not json}\n\n"), "malformed", "not a JSON object: '{not json}'"),
        (Streams(b"data: [1]\n\n"), "malformed", "not a JSON object"),
        (Streams(b"<html>Welcome</html>\n"), "malformed", "neither JSON nor a stream of events: '<html>"),
        (Streams(b"Hello from a proxy"), "malformed", "neither JSON nor a stream of events"),
        (Sends(b"no json"), "malformed", "not a JSON object: 'no json'"),
        (Sends(b"{}"), "malformed", "a "),
    ],
    ids=repr,
)
def test_what_stays_wrong_is_said_at_once(protocol: str, behaviour: Behaviour, kind: str, said: str) -> None:
    error, server = failure(protocol, behaviour, OK)
    assert (error.kind, error.code, len(server.seen)) == (kind, kind, 1)
    assert said in error.message
    assert error.help


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("in_order", [True, False], ids=["ended", "cut"])
def test_nothing_is_tried_again_after_the_first_piece(protocol: str, in_order: bool) -> None:
    error, server = failure(protocol, Breaks(TALK, BEFORE_TEXT[protocol] + 2, in_order), OK)
    assert (error.kind, len(server.seen)) == ("network", 1)
    assert "the reply had begun, so it was not tried again" in error.message
    assert error.partial is not None
    assert error.partial.text == "one two "
    assert not error.retryable


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_stream_that_breaks_after_its_end_was_told_is_whole(protocol: str) -> None:
    with Loopback(Breaks(TALK, -1)) as server:
        reply = provider(protocol, server.url).complete(asks())
    assert (reply.reply.text, reply.stop_reason) == ("one two three", "stop")


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize(
    ("hang", "timeouts", "said"),
    [
        (Hangs(), Timeouts(PATIENCE_S, 0.05, PATIENCE_S), "sent nothing for"),
        (Hangs(TALK, 0), Timeouts(PATIENCE_S, 0.05, PATIENCE_S), "expected the first piece of the answer"),
        (Hangs(TALK, 4), Timeouts(PATIENCE_S, PATIENCE_S, 0.05), "expected the next piece of the answer"),
    ],
    ids=["no answer", "no piece", "no next piece"],
)
def test_every_wait_is_bounded(protocol: str, hang: Hangs, timeouts: Timeouts, said: str) -> None:
    with Loopback(hang) as server:
        with pytest.raises(ProviderError) as caught:
            provider(protocol, server.url, timeouts=timeouts).complete(asks())
        assert server.left.wait(PATIENCE_S)
    assert caught.value.kind == "timeout"
    assert said in caught.value.message
    assert len(server.seen) == 1


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_whole_call_is_bounded(protocol: str) -> None:
    with Loopback(Hangs(TALK, 4)) as server:
        with pytest.raises(ProviderError) as caught:
            provider(protocol, server.url).complete(asks(), timeout_s=0.05)
        assert server.left.wait(PATIENCE_S)
    assert (caught.value.kind, "the whole call" in caught.value.message) == ("timeout", True)


def test_a_server_that_is_not_there() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound and not listening: nobody else can get the port
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(ProviderError) as caught:
            provider("openai", url).complete(asks())
    assert caught.value.kind == "network"
    assert caught.value.message.startswith(f"{url} cannot be reached")
    assert "start the server" in (caught.value.help or "")


def test_an_answer_without_end_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dcc.runtime.providers.http.LONGEST", 1000)
    error, _ = failure("openai", Says(("x" * 2000,)))
    assert (error.kind, "longer than 1,000 bytes" in error.message) == ("malformed", True)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_no_key_is_ever_shown(protocol: str, caplog: pytest.LogCaptureFixture) -> None:
    key = "sk-secret-0123456789"
    caplog.set_level(logging.DEBUG)
    body = f'{{"error": {{"message": "the key {key} is wrong"}}}}'
    with Loopback(Refuses(401, body), Breaks(TALK, BEFORE_TEXT[protocol] + 1)) as server:
        door = provider(protocol, server.url, key=key)
        for _ in range(2):
            with pytest.raises(ProviderError) as caught:
                door.complete(asks())
            error = caught.value
            assert key not in f"{error} {error.message} {error!r} {error.__cause__!r} {error.__context__!r}"
    assert key in str(server.seen[0].headers)
    assert key not in caplog.text
    assert key not in repr(vars(door))


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_local_server_needs_no_key(protocol: str) -> None:
    with Loopback(OK) as server:
        provider(protocol, server.url).complete(asks())
    assert not {"authorization", "x-api-key"} & set(server.seen[0].headers)


def test_a_local_server_is_asked_without_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    with Loopback(OK) as server:
        assert provider("openai", server.url).complete(asks()).reply.text == "ok"


@pytest.mark.parametrize("proxy", ["nonsense://x:y", "nonsense://x", "http://[::1", "socks5://127.0.0.1:9"])
def test_a_proxy_that_cannot_be_used_is_told_and_no_thread_dies_of_it(
    proxy: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HTTP_PROXY", proxy)
    monkeypatch.setenv("http_proxy", proxy)
    with pytest.raises(ProviderError, match=r"the proxy to http:.*invalid cannot be used") as caught:
        provider("openai", "http://example.invalid").complete(asks())
    assert (caught.value.kind, "HTTP_PROXY" in str(caught.value.help)) == ("network", True)
    assert capfd.readouterr().err == ""
