"""Compressors: what makes a summary of a transcript. A host may bring its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, runtime_checkable

from ...compiler.prompt import fill_prompt
from ...grammar.errors import DccError
from ..providers.abort import Abort
from ..values import Usage

#: Characters of a foreign error that are told.
_SHOWN = 200


class CompressionError(DccError):
    """A summary that could not be made: ``compressor_failed``, ``blank_summary``, ``blank_transcript``.

    ``stopped``: somebody did not want to wait for it; it is as due as before.
    """


class Compressor(Protocol):
    """Makes a summary."""

    def summarise(self, transcript: str, prompt: str) -> str:
        """The summary of a transcript; ``prompt`` is the ruleset's, with a hole for the transcript.

        Whatever it raises, and a blank summary, counts as a failure: the session goes on as it was.
        """


@runtime_checkable
class Continuing(Compressor, Protocol):
    """A compressor that can carry on from a summary which the new one takes the place of."""

    def summarise_after(self, previous: str, transcript: str, prompt: str) -> str:
        """The summary of ``previous``, the summary so far, and of the transcript of what came after it.

        It fails as ``summarise`` does: the old summary stays in place.
        """


@runtime_checkable
class Metered(Compressor, Protocol):
    """A compressor whose summaries are paid for."""

    def take_spent(self) -> Usage | None:
        """What was used since it was asked last, of summaries that failed too; None: nothing, or nobody said."""


@runtime_checkable
class Stoppable(Compressor, Protocol):
    """A compressor with a switch, set by the host, that stops the summary that is under way."""

    abort: Abort | None


class ModelCompressor:
    """Asks a model: ``ask`` sends one prompt and returns the text of the answer."""

    def __init__(self, ask: Callable[[str], str]) -> None:
        self._ask = ask

    def summarise(self, transcript: str, prompt: str) -> str:
        """The model's answer to the prompt with the transcript in it (see ``Compressor.summarise``)."""
        return self._ask(fill_prompt(prompt, transcript))


def spent_by(compressor: Compressor) -> Usage | None:
    """What a compressor has used since it was asked last (see ``Metered.take_spent``); None for one that is free."""
    return compressor.take_spent() if isinstance(compressor, Metered) else None


def compress(compressor: Compressor, transcript: str, prompt: str, previous: str = "") -> str:
    """The summary that a compressor makes, without blanks around it. Raises CompressionError.

    ``previous``: the summary that it takes the place of, for a compressor that carries on.
    """
    if not transcript:
        raise CompressionError("blank_transcript", "they have no text to summarise")
    try:
        if previous and isinstance(compressor, Continuing):
            summary = compressor.summarise_after(previous, transcript, prompt)
        else:
            summary = compressor.summarise(transcript, prompt)
    except Exception as error:
        if isinstance(error, CompressionError) and error.code == "stopped":
            raise
        # A compressor is the host's code, and the turn before it is committed: whatever fails there ends there.
        why = str(error)[:_SHOWN] or type(error).__name__
        raise CompressionError("compressor_failed", f"no summary could be made: {why}") from error
    if not summary.strip():
        raise CompressionError("blank_summary", "the summary is blank")
    return summary.strip()
