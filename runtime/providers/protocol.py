"""The protocol that every provider speaks: a rendered request in, a reply out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Protocol

from ..values import Format, Reply, Usage
from ..view.unit import Message
from .abort import Abort
from .usage import is_exact

StopReason = Literal["stop", "length", "tool_calls", "refused", "aborted"]
Think = Literal["none", "minimal", "low", "medium", "high", "xhigh"]
Cache = Literal["none", "5m", "1h"]

#: Longest time for one ``complete``, retries and waits included, in seconds.
TOTAL_S = 600.0

#: Longest answer when a request names none and the API wants a number, in tokens: every model takes this.
LONGEST_ANSWER = 8192

#: Tokens that may be thought: 1,024 is the least that Anthropic's API takes, and the most, with ``LONGEST_ANSWER``, is
#: less than the 32,000 of Claude Opus 4, the shortest of those that take a budget. Both APIs bound the answer and its
#: thinking together, so these come on top of ``max_tokens``.
BUDGETS: Mapping[Think, int] = {"minimal": 1024, "low": 2048, "medium": 8192, "high": 16_384, "xhigh": 23_552}


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool that the model may call; ``parameters`` is the JSON Schema of its arguments, an object."""

    name: str
    description: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One model call.

    ``messages`` and ``system`` go out exactly as ``Session.request`` rendered them in the provider's
    ``format``. ``tail`` is the volatile tail (kernel.md section 5): it goes out last and is never marked for a
    cache. ``max_tokens`` bounds the answer without its thinking, in tokens (None: the provider's own bound).
    ``think`` is how much the model may think first (None: its own default). ``cache`` is how long the
    provider is asked to keep the stable part. ``stream`` off asks for the reply in one piece. ``options`` are
    further fields of the provider's request body; they win over what dcc writes, but for the messages. ``attempts``:
    how often it may be sent at most (None: as often as the provider's retries say).
    """

    model: str
    messages: list[Message]
    system: list[Message] = field(default_factory=list)
    tail: tuple[Message, ...] = ()
    tools: tuple[Tool, ...] = ()
    max_tokens: int | None = None
    think: Think | None = None
    cache: Cache = "5m"
    stream: bool = True
    options: Mapping[str, Any] = field(default_factory=dict)
    attempts: int | None = None


@dataclass(frozen=True, slots=True)
class ModelReply:
    """What came back.

    ``usage`` is what the provider reported, None when it reported nothing; ``reply`` carries it too. ``model``
    and ``raw_id`` are the model and the id as the provider named them. An ``aborted`` reply holds the text and
    the thinking that had come, and no tool calls: none of them is known to be whole. ``attempts``: how often the
    request was sent.
    """

    reply: Reply
    stop_reason: StopReason
    usage: Usage | None
    model: str
    raw_id: str
    attempts: int = 1

    def after(self, attempts: int, *, edited: bool = False) -> ModelReply:
        """The same reply, to a request that was sent so often, or that the server ``edited``: its usage says which."""
        usage = self.usage
        if usage is not None:
            exact = is_exact(stop_reason=self.stop_reason, attempts=attempts, edited=edited)
            usage = replace(usage, exact=usage.exact and exact)
        return replace(self, reply=replace(self.reply, usage=usage), usage=usage, attempts=attempts)


OnText = Callable[[str], None]


def ignore(text: str) -> None:
    """The callback of a host that does not follow the stream."""


class Provider(Protocol):
    """A model behind a door. ``format`` is the rendering that its messages must have."""

    name: str
    format: Format

    def complete(
        self,
        request: ModelRequest,
        *,
        on_text: OnText = ignore,
        on_thinking: OnText = ignore,
        abort: Abort | None = None,
        timeout_s: float = TOTAL_S,
    ) -> ModelReply:
        """Carry out one model call.

        ``on_text`` and ``on_thinking`` get pieces as they come, in this thread. ``timeout_s`` bounds the whole.
        An abort ends the call at once with an ``aborted`` reply. Raises ProviderError.
        """
