"""Whatever JSON a server sends, a reader takes it or says that it is malformed; nothing else comes out."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from loopback import anthropic_wire, openai_wire
from loopback.behaviour import Says, Sends, Streams
from loopback.client import PROTOCOLS, asks, exchanged

from dcc.runtime.providers.anthropic import Anthropic
from dcc.runtime.providers.dialect import Dialect
from dcc.runtime.providers.errors import ProviderError
from dcc.runtime.providers.openai import OpenAI
from dcc.runtime.providers.protocol import ModelReply, ignore
from dcc.runtime.providers.sse import events

DIALECTS: dict[str, Dialect] = {"openai": OpenAI(), "anthropic": Anthropic()}
WIRES = {"openai": openai_wire, "anthropic": anthropic_wire}
CALLS = (("c1", "read", ('{"a"', ":1}")),)
SAYS = Says(("a", "b"), thinking=("t",), signature="c2ln", calls=CALLS, usage={"output_tokens": 1})
JUNK = st.sampled_from([None, True, -1, 1.5, "", "x", [], [1], [None], [{}], {}, {"x": 1}, {"type": "text"}])


def spoiled(value: Any, at: int, junk: Any) -> tuple[Any, int]:
    """``value`` with its item number ``at`` replaced, and how many items are still to be counted."""
    if at == 0:
        return junk, -1
    at -= 1
    if isinstance(value, dict | list):
        copy = value.copy()
        for key in list(value) if isinstance(value, dict) else range(len(value)):
            if at < 0:
                break
            copy[key], at = spoiled(value[key], at, junk)
        return copy, at
    return value, at


@pytest.mark.parametrize("protocol", PROTOCOLS)
@given(event=st.integers(0, 12), at=st.integers(0, 14), junk=JUNK)
def test_a_spoiled_event(protocol: str, event: int, at: int, junk: Any) -> None:
    reader = DIALECTS[protocol].reader(asks(), ignore, ignore)
    with suppress(ProviderError):
        for number, found in enumerate(events(WIRES[protocol].events(SAYS))):
            if number == event and found.data.startswith("{"):
                found = found._replace(data=json.dumps(spoiled(json.loads(found.data), at, junk)[0]))
            if reader.take(found):
                break
    assert isinstance(reader.reply(), ModelReply)


@pytest.mark.parametrize("protocol", PROTOCOLS)
@given(at=st.integers(1, 30), junk=JUNK)
def test_a_spoiled_reply_in_one_piece(protocol: str, at: int, junk: Any) -> None:
    reader = DIALECTS[protocol].reader(asks(), ignore, ignore)
    with suppress(ProviderError):
        reader.take_whole(spoiled(WIRES[protocol].whole(SAYS), at, junk)[0])
    assert isinstance(reader.reply(), ModelReply)


@pytest.mark.parametrize("body", [b'{"choices": [{}]}', b'{"choices": []}', b'{"choices": null, "usage": {}}'])
@pytest.mark.parametrize("stream", [False, True])
def test_a_completion_without_a_message_is_no_empty_answer(body: bytes, stream: bool) -> None:
    answer = Streams(b"data: " + body + b"\n\ndata: [DONE]\n\n") if stream else Sends(body)
    with pytest.raises(ProviderError, match="without a message") as caught:
        exchanged("openai", answer)
    assert caught.value.kind == "malformed"
