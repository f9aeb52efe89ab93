"""The compressor of a scenario: it answers what the step says, and remembers what it was asked."""

from __future__ import annotations

from ...compiler.prompt import fill_prompt
from ..compaction.extractive import ExtractiveCompressor
from .model import WrittenSummary


class ScriptedCompressor:
    """Answers with the summary that the step in progress has written; without one, as a session without a model."""

    def __init__(self) -> None:
        self._written: WrittenSummary | None = None
        self._otherwise = ExtractiveCompressor()
        self.prompt: str | None = None

    def begin(self, written: WrittenSummary | None) -> None:
        """A step begins."""
        self._written, self.prompt = written, None

    def summarise(self, transcript: str, prompt: str) -> str:
        """The written summary (see ``Compressor.summarise``). Raises RuntimeError where it is written to fail."""
        self.prompt = fill_prompt(prompt, transcript)
        if self._written is None:
            return self._otherwise.summarise(transcript, prompt)
        if self._written.fail is not None:
            raise RuntimeError(self._written.fail)
        return self._written.text
