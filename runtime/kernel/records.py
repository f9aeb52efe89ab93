"""What the ledger keeps beside slots: queued patches, the reply in progress, transactions that can be undone, usage."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

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

    ``replies`` is how many reported anything; ``input`` is what no cache served. The four sums are what is paid for;
    ``prompt`` is the length of the last prompt, and never a sum: each call reads the whole context (runtime spec, 2.4).
    """

    replies: int = 0
    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0
    prompt: int = 0

    @property
    def total(self) -> int:
        """All tokens that were read and written."""
        return self.input + self.output + self.cache_read + self.cache_write

    def and_reply(self, usage: Sequence[int] | None) -> Spending:
        """With one more reply: input, output, cache read, cache write. A report of zeros says nothing."""
        if not usage or not any(usage):
            return self
        read, written, cached, stored = usage
        return Spending(
            self.replies + 1, self.input + read, self.output + written, self.cache_read + cached,
            self.cache_write + stored, read + cached + stored or self.prompt,
        )  # fmt: skip
