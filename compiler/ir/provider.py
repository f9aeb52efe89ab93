"""``provider``: which model answers, where it is, and how long to wait for it."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from .base import AtLeastOne, HostSection, Section, Texts

Seconds = Annotated[float, Field(gt=0)]


class ProviderTimeouts(Section):
    """Longest waits in seconds: for a connection, a first piece, the next piece, the whole call."""

    connect: Seconds | None = None
    first_byte: Seconds | None = None
    between: Seconds | None = None
    total: Seconds | None = None


class ProviderRetries(Section):
    """``attempts`` in all; ``longest_wait`` between two of them, in seconds."""

    attempts: AtLeastOne | None = None
    longest_wait: Seconds | None = None


class ProviderSection(HostSection):
    """``type`` is the protocol (echo, openai, anthropic); a key is named, never written into a ruleset.

    ``fallbacks`` are further models of the same server, for an agent whose model cannot be used.
    """

    type: str | None = None
    model: str | None = None
    base_url: str | None = None
    key_env: str | None = None
    key_file: str | None = None
    max_tokens: AtLeastOne | None = None
    think: Literal["none", "minimal", "low", "medium", "high", "xhigh"] | None = None
    cache: Literal["none", "5m", "1h"] | None = None
    stream: bool | None = None
    timeout: ProviderTimeouts | None = None
    retries: ProviderRetries | None = None
    options: dict[str, Any] | None = None
    images: bool | Literal["auto"] | None = None
    fallbacks: Texts = ()
