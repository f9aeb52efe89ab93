"""What the ledger keeps beside slots: queued patches, the reply in progress, transactions that can be undone, usage."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ...grammar.ast import Mode
from .tables import Lookup


@dataclass(frozen=True, slots=True)
class QueueEntry:
    """A content patch that waits for its turn ``at``; ``turns`` None is ``none``, ``digest`` (hex) its content."""

    number: int
    element: str
    digest: str
    mode: Mode
    turns: int | None
    at: int

    @property
    def last(self) -> int | None:
        """The last turn at which the patch lands; None: a roll without end."""
        if self.mode != "roll":
            return self.at
        return None if self.turns is None else self.at + self.turns - 1


@dataclass(slots=True)
class OpenReply:
    """The reply whose tool calls are not all answered yet.

    ``calls``: toolCall slot to the id that the host knows the call by, in order; ``pieces``: how many slots
    the reply bore; ``started``: the toolCall slots whose tool was started.
    """

    call: int
    calls: dict[str, str]
    pieces: int
    started: set[str]

    def waits(self, result_of: Lookup[str, str]) -> bool:
        """Whether a result is missing; the last calls are looked at first, since they are answered last."""
        return any(slot not in result_of for slot in reversed(self.calls))

    def pending(self, result_of: Lookup[str, str]) -> list[str]:
        """The toolCall slots that have no result, in order."""
        return [c for c in self.calls if c not in result_of]


@dataclass(frozen=True, slots=True)
class Compacting:
    """What compaction remembers: the turn at whose end it was last asked for, and its last passes without gain.

    ``idle``: how many passes in a row gained nothing; ``tokens``: what the last of them would have replaced.
    """

    asked: int = 0
    idle: int = 0
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class Transaction:
    """A numbered transaction that can be undone: its cause, and the events it stands in (first to last seq).

    ``is_final``: it deleted a content, so that it cannot be undone after all.
    """

    number: int
    cause: str
    first: int
    last: int
    is_final: bool = False


@dataclass(frozen=True, slots=True)
class Spending:
    """What the replies of a session used, in tokens, as their providers reported it.

    ``replies`` is how many reported anything; ``input`` is what no cache served. ``prompt`` is the length of the last
    prompt, and never a sum: each call reads the whole context (runtime spec, 2.4). The four of summaries are sums of
    the calls that made them: they are paid for too, and are no part of the conversation.
    """

    replies: int = 0
    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0
    prompt: int = 0
    summary_input: int = 0
    summary_output: int = 0
    summary_cache_read: int = 0
    summary_cache_write: int = 0

    @property
    def total(self) -> int:
        """All tokens that were read and written."""
        return self.input + self.output + self.cache_read + self.cache_write

    @property
    def billed(self) -> tuple[int, int, int, int]:
        """What is paid for: input, output, cache read, cache write, of replies and summaries."""
        return (
            self.input + self.summary_input, self.output + self.summary_output,
            self.cache_read + self.summary_cache_read, self.cache_write + self.summary_cache_write,
        )  # fmt: skip

    def and_reply(self, usage: Sequence[int] | None) -> Spending:
        """With one more reply: input, output, cache read, cache write. A report of zeros says nothing."""
        if not usage or not any(usage):
            return self
        read, written, cached, stored = usage
        return replace(
            self, replies=self.replies + 1, input=self.input + read, output=self.output + written,
            cache_read=self.cache_read + cached, cache_write=self.cache_write + stored,
            prompt=read + cached + stored or self.prompt,
        )  # fmt: skip

    def and_summaries(self, usage: Sequence[int]) -> Spending:
        """With what more summaries used: input, output, cache read, cache write."""
        read, written, cached, stored = usage
        return replace(
            self, summary_input=self.summary_input + read, summary_output=self.summary_output + written,
            summary_cache_read=self.summary_cache_read + cached, summary_cache_write=self.summary_cache_write + stored,
        )  # fmt: skip
