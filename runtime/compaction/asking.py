"""A compressor that asks a model through one of the providers."""

from __future__ import annotations

from ...compiler.prompt import fill_prompt
from ..providers.abort import Abort
from ..providers.protocol import ModelRequest, Provider
from .compressors import CompressionError

#: Longest summary that is asked for, in tokens.
MAX_TOKENS = 2_000


class ProviderCompressor:
    """Asks ``model`` at ``provider``; a summary has at most ``max_tokens`` tokens.

    ``abort``: set by the host, the switch that stops the summary that is under way. ``model`` may change.
    """

    abort: Abort | None = None

    def __init__(self, provider: Provider, model: str, *, max_tokens: int = MAX_TOKENS) -> None:
        self._provider = provider
        self.model = model
        self._max_tokens = max_tokens

    def summarise(self, transcript: str, prompt: str) -> str:
        """The model's answer to the prompt with the transcript in it (see ``Compressor.summarise``).

        Raises ProviderError, and CompressionError (``stopped``; ``cut_summary`` for an answer that is not whole).
        """
        message = {"role": "user", "content": fill_prompt(prompt, transcript)}
        reply = self._provider.complete(
            ModelRequest(self.model, [message], max_tokens=self._max_tokens, cache="none", stream=False),
            abort=self.abort,
        )
        if reply.stop_reason == "aborted":
            raise CompressionError("stopped", "the summary was stopped")
        if reply.stop_reason != "stop":
            raise CompressionError("cut_summary", f"the model's answer is not whole ({reply.stop_reason})")
        return reply.reply.text
