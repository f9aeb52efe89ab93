"""Which reports of usage are exact: of one request, as it was sent, once (spec/cpat.md section 6)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from agents import usage
from loopback.behaviour import Behaviour, Breaks, Refuses, Says, Sends, Streams
from loopback.client import AT_ONCE, PROTOCOLS, asks, exchanged, provider
from loopback.server import Loopback

from dcc.runtime.providers.abort import Abort
from dcc.runtime.providers.errors import ProviderError


def says(protocol: str) -> Says:
    return Says(("ok",), usage=usage(protocol, 100, 5))


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize(
    ("before", "attempts"),
    [((), 1), ((Refuses(503),), 2), ((Refuses(529), Refuses(500)), 3), ((Breaks(Says(("ok",)), 1),), 2)],
    ids=["once", "twice", "three times", "after one that broke off"],
)
@pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])
def test_a_request_that_was_sent_again_has_no_exact_report(
    protocol: str, before: tuple[Behaviour, ...], attempts: int, stream: bool
) -> None:
    reply, server = exchanged(protocol, *before, says(protocol), stream=stream)
    assert (reply.attempts, len(server.seen)) == (attempts, attempts)
    assert reply.usage is not None
    assert reply.usage == reply.reply.usage
    assert reply.usage.prompt == 100
    assert reply.usage.exact is (attempts == 1)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_reply_that_broke_off_has_no_exact_report(protocol: str) -> None:
    abort = Abort()
    long = Says(("a", "b", "c"), usage=usage(protocol, 100, 5))
    with Loopback(long) as server:
        reply = provider(protocol, server.url).complete(asks(), on_text=lambda piece: abort.set(), abort=abort)
    assert reply.stop_reason == "aborted"
    assert reply.usage is None or not reply.usage.exact


EDITED = {"context_management": {"applied_edits": [{"type": "clear_tool_uses_20250919", "cleared_tool_uses": 8}]}}
COUNTED = {"usage": {"input_tokens": 100, "output_tokens": 5}}


def events(*documents: dict[str, Any]) -> Streams:
    return Streams("".join(f"data: {json.dumps(document)}\n\n" for document in documents).encode())


@pytest.mark.parametrize("beside", [EDITED, {"context_management": {"applied_edits": []}}, {}], ids=str)
@pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])
def test_a_request_that_the_server_has_edited_has_no_exact_report(beside: dict[str, Any], stream: bool) -> None:
    message = {"id": "m", "type": "message", "role": "assistant", "model": "small", "content": []}
    end = {"stop_reason": "end_turn"}
    behaviour: Behaviour = Sends(json.dumps(message | end | COUNTED | beside).encode())
    if stream:
        behaviour = events(
            {"type": "message_start", "message": message | COUNTED},
            {"type": "message_delta", "delta": end, "usage": {"output_tokens": 5}, **beside},
            {"type": "message_stop"},
        )
    reply, _ = exchanged("anthropic", behaviour, stream=stream)
    assert reply.usage is not None
    assert reply.usage.exact is (beside is not EDITED)


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("most", [1, 2, 9])
def test_a_request_is_sent_no_oftener_than_it_may(protocol: str, most: int) -> None:
    with Loopback(*[Refuses(503)] * 9) as server, pytest.raises(ProviderError) as raised:
        provider(protocol, server.url, retries=AT_ONCE).complete(asks(attempts=most))
    assert raised.value.attempts == len(server.seen) == min(most, AT_ONCE.attempts)
