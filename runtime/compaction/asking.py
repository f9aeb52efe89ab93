"""A compressor that asks a model through one of the providers."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from ...compiler.prompt import fill_prompt
from ..providers.abort import Abort
from ..providers.errors import ProviderError
from ..providers.protocol import ModelReply, ModelRequest, Provider, Think
from ..values import Usage
from .compressors import CompressionError

#: Longest summary that is asked of a model of which nothing is known, in tokens.
MAX_TOKENS: Final = 2_000


class ProviderCompressor:
    """Asks ``model`` at ``provider``; a summary has at most ``max_tokens`` tokens, ``think`` is how much is thought.

    A model that refuses such a request as no good one (it cannot think, its answers are shorter) is asked plainly from
    then on: without thinking, for ``MAX_TOKENS`` at most. ``abort``: set by the host, the switch that stops the summary
    that is under way. ``model`` may change.
    """

    abort: Abort | None = None

    def __init__(
        self, provider: Provider, model: str, *, max_tokens: int = MAX_TOKENS, think: Think | None = None
    ) -> None:
        self._provider = provider
        self.model = model
        self.max_tokens = max_tokens
        self._think = think
        self._plain: set[str] = set()
        self._spent: Usage | None = None

    def summarise(self, transcript: str, prompt: str) -> str:
        """The model's answer to the prompt with the transcript in it (see ``Compressor.summarise``).

        Raises ProviderError, and CompressionError (``stopped``; ``cut_summary`` for an answer that is not whole).
        """
        message = {"role": "user", "content": fill_prompt(prompt, transcript)}
        reply = self._ask(
            ModelRequest(
                self.model, [message], max_tokens=self.max_tokens, think=self._think, cache="none", stream=False
            )
        )
        self._spent = _sum(self._spent, reply.usage)
        if reply.stop_reason == "aborted":
            raise CompressionError("stopped", "the summary was stopped")
        if reply.stop_reason != "stop":
            raise CompressionError("cut_summary", f"the model's answer is not whole ({reply.stop_reason})")
        return reply.reply.text

    def take_spent(self) -> Usage | None:
        """See ``Metered.take_spent``."""
        spent, self._spent = self._spent, None
        return spent

    def _ask(self, request: ModelRequest) -> ModelReply:
        plain = replace(request, max_tokens=min(MAX_TOKENS, self.max_tokens), think=None)
        if self.model not in self._plain:
            try:
                return self._provider.complete(request, abort=self.abort)
            except ProviderError as error:
                if error.kind != "bad_request" or plain == request:
                    raise
        reply = self._provider.complete(plain, abort=self.abort)
        self._plain.add(self.model)
        return reply


def _sum(one: Usage | None, other: Usage | None) -> Usage | None:
    if one is None or other is None:
        return one or other
    return Usage(
        one.input + other.input, one.output + other.output, one.cache_read + other.cache_read,
        one.cache_write + other.cache_write,
    )  # fmt: skip
