"""A compressor for transcripts of any length: parts, retries, merging, and what cannot be summarised left out.

Source: spec of the agent runtime, sections 4.2 and 4.3. Where no summary can be made it says so and nothing is
replaced: a placeholder in the place of a history loses it for good (issues 5224 and 122617).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import monotonic
from typing import Final

from ....grammar.errors import DccError
from ...compaction.asking import MAX_TOKENS
from ...compaction.compressors import CompressionError, Compressor, Stoppable, spent_by
from ...kernel.tokens import count_text
from ...providers.abort import Abort
from ...providers.errors import ProviderError
from ...providers.retry import Retries, with_retries
from ...values import Usage
from .entries import Entry, entries_of
from .parts import LEAST_ENTRIES, is_oversized, is_too_much, most_of, shed, split_by_most, split_by_share, total

#: Tries of one part: three, half a second to five seconds apart (spec 4.2).
RETRIES: Final = Retries(attempts=3, first_wait_s=0.5, longest_wait_s=5.0)

#: Seconds after which what fails is not tried again. Spec 4.1 ends a whole summary then; one in many parts would end in
#: the same way with every turn (issue 92043).
TOTAL_S: Final = 300.0

#: Times its limit from which on a summary is refused: a model that does not keep to it would let it grow for ever.
TOO_LONG: Final = 2

#: What stands before the summary so far, before what is new, and before partial summaries.
SO_FAR: Final = "[The summary so far. Carry over what still holds.]"
SINCE: Final = "[What came after it.]"
MERGE: Final = (
    "[These are summaries of the parts of one conversation, in their order. Make one summary of them. "
    "Decisions, open tasks, open questions and constraints must all be in it.]"
)

#: Errors after which the same transcript would fail in the same way, also in smaller parts.
_FINAL: Final = frozenset({"auth", "billing", "rate_limit", "network", "aborted"})


class StagedCompressor:
    """Has ``ask`` summarise a transcript, part by part where it is long.

    ``window``: of the model that is asked, in tokens; ``limit``: the most tokens of a summary.
    """

    def __init__(
        self,
        ask: Compressor,
        window: int,
        *,
        limit: int = MAX_TOKENS,
        abort: Abort | None = None,
        retries: Retries = RETRIES,
        total_s: float = TOTAL_S,
    ) -> None:
        self._ask = ask
        self._window = window
        self._limit = limit
        self._retries = retries
        self._total_s = total_s
        self.abort = abort

    @property
    def abort(self) -> Abort | None:
        """The switch that stops the summary that is under way, waits between tries included; the host's."""
        return self._abort

    @abort.setter
    def abort(self, abort: Abort | None) -> None:
        self._abort = abort
        if isinstance(self._ask, Stoppable):
            self._ask.abort = abort

    def take_spent(self) -> Usage | None:
        """See ``Metered.take_spent``."""
        return spent_by(self._ask)

    def summarise(self, transcript: str, prompt: str) -> str:
        """The summary of a transcript. Raises CompressionError, ProviderError (see ``Compressor.summarise``)."""
        return self.summarise_after("", transcript, prompt)

    def summarise_after(self, previous: str, transcript: str, prompt: str) -> str:
        """The summary of a transcript and of the summary of what came before it, which gives way to it.

        Raises CompressionError (``stopped``, ``part_failed``) and ProviderError; ``previous`` holds as before then.
        """
        deadline = monotonic() + self._total_s
        work = _Work(lambda text: self._try(text, prompt, deadline), self._window)
        entries = entries_of(transcript)
        if self._is_too_long(previous):
            # No summary of ours is: it is told like any other text, so that it becomes one.
            entries, previous = (Entry.of("", previous), *entries), ""
        return work.all(entries, previous)

    def _is_too_long(self, summary: str) -> bool:
        return count_text(summary) > TOO_LONG * self._limit

    def _try(self, text: str, prompt: str, deadline: float) -> str:
        """One request, tried again while that may help."""

        def attempt() -> str:
            try:
                summary = self._ask.summarise(text, prompt).strip()
            except CompressionError as error:
                if error.code == "stopped":
                    raise
                raise ProviderError("malformed", error.message, retryable=True) from error
            if not summary:
                raise ProviderError("malformed", "the summary is blank", retryable=True)
            if self._is_too_long(summary):
                message = f"the summary has {count_text(summary)} tokens, {self._limit} were asked for"
                raise ProviderError("malformed", message, retryable=True)
            return summary

        try:
            return with_retries(attempt, self._retries, abort=self._abort or Abort(), deadline=deadline)
        except ProviderError as error:
            if error.kind != "aborted":
                raise
            raise CompressionError("stopped", "the summary was stopped") from error


class _Work:
    """The work on one transcript: which requests are made of it. ``ask`` sends one."""

    def __init__(self, ask: Callable[[str], str], window: int) -> None:
        self._ask = ask
        self._window = window
        self._left_out: list[Entry] = []

    def all(self, entries: Sequence[Entry], previous: str) -> str:
        """The summary of all entries; the oldest first where there are more than are summarised at once."""
        if is_too_much(entries, self._window):
            old = shed(entries, self._window).entries
            if old:
                previous = self._staged(entries[:old], previous)
                entries = entries[old:]
        summary = self._staged(entries, previous)
        notes = [
            f"[left out of this summary: {entry.element or 'a text'} of about {entry.tokens:,} tokens]"
            for entry in self._left_out
        ]
        return "\n".join((summary, "", *notes)) if notes else summary

    def _staged(self, entries: Sequence[Entry], previous: str) -> str:
        """In two halves where that is more than one part, and their summaries merged."""
        split = split_by_share(entries)
        if len(entries) < LEAST_ENTRIES or total(entries) <= most_of(entries, self._window) or len(split) <= 1:
            return self._without_oversized(entries, previous)
        partial = [self._without_oversized(part, "") for part in split]
        told = [Entry.of("", f"[Part {n} of {len(partial)}]\n{text}") for n, text in enumerate(partial, 1)]
        return self._without_oversized(told, previous, MERGE)

    def _without_oversized(self, entries: Sequence[Entry], previous: str, lead: str = "") -> str:
        """All entries, else those that a request can hold; the others are noted as left out."""
        try:
            return self._in_parts(entries, previous, lead)
        except (ProviderError, CompressionError) as error:
            small = [entry for entry in entries if not is_oversized(entry, self._window)]
            if _is_final(error) or not small or len(small) == len(entries):
                raise _failed(entries, error) from error
            self._left_out += [entry for entry in entries if is_oversized(entry, self._window)]
        try:
            return self._in_parts(small, previous, lead)
        except (ProviderError, CompressionError) as error:
            raise _failed(entries, error) from error

    def _in_parts(self, entries: Sequence[Entry], previous: str, lead: str) -> str:
        """Part after part, each with the summary of those before it. ``lead``: what is said of the entries first."""
        summary = previous
        for part in split_by_most(entries, most_of(entries, self._window)):
            text = "\n".join((*([lead] if lead else []), *(entry.text for entry in part)))
            summary = self._ask(f"{SO_FAR}\n{summary}\n\n{SINCE}\n{text}" if summary else text)
        return summary


def _is_final(error: DccError) -> bool:
    return error.code == "stopped" or (isinstance(error, ProviderError) and error.kind in _FINAL)


def _failed(entries: Sequence[Entry], error: DccError) -> DccError:
    """What is said of entries that could not be summarised; being stopped is told as it is."""
    if error.code == "stopped":
        return error
    n = "1 entry" if len(entries) == 1 else f"{len(entries)} entries"
    return CompressionError("part_failed", f"{n} could not be summarised: {error.message}")
