"""Providers and requests for the loopback server, in few words."""

from __future__ import annotations

from typing import Any

from loopback.behaviour import Behaviour
from loopback.server import PATIENCE_S, Loopback

from dcc.runtime.providers.anthropic import Anthropic
from dcc.runtime.providers.dialect import Dialect
from dcc.runtime.providers.http import Timeouts
from dcc.runtime.providers.keys import Key
from dcc.runtime.providers.openai import OpenAI
from dcc.runtime.providers.protocol import ModelReply, ModelRequest, Tool
from dcc.runtime.providers.remote import RemoteProvider
from dcc.runtime.providers.retry import Retries

PROTOCOLS = ("openai", "anthropic")

#: No wait between attempts: what is waited for is tested without a clock.
AT_ONCE = Retries(first_wait_s=0.0)

READ = Tool("read", "Read a file.", {"type": "object", "properties": {"path": {"type": "string"}}})


def provider(
    protocol: str, url: str, *, key: str | None = None, timeouts: Timeouts | None = None, retries: Retries = AT_ONCE
) -> RemoteProvider:
    """A provider that speaks ``protocol`` to the server at ``url``."""
    dialect: Dialect = OpenAI() if protocol == "openai" else Anthropic()
    return RemoteProvider(
        dialect,
        f"{url}/v1" if protocol == "openai" else url,
        Key(key) if key is not None else None,
        timeouts=timeouts or Timeouts(PATIENCE_S, PATIENCE_S, PATIENCE_S),
        retries=retries,
    )


def asks(text: str = "hello", **fields: Any) -> ModelRequest:
    """A request of one message."""
    messages = [{"role": "user", "content": text}]
    return ModelRequest(**{"model": "small", "messages": messages, "cache": "none", **fields})


def exchanged(protocol: str, *script: Behaviour, **fields: Any) -> tuple[ModelReply, Loopback]:
    """The reply of a server with this script to one request, and the server afterwards."""
    with Loopback(*script) as server:
        return provider(protocol, server.url).complete(asks(**fields)), server
