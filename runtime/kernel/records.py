"""What the ledger keeps beside slots: queued patches, the reply in progress, transactions that can be undone."""

from __future__ import annotations

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
