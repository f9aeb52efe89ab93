"""A recorded session as typed items: what every reader of a host's session files gives."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from ..kernel.content import Call, Content


@dataclass(frozen=True, slots=True)
class Header:
    """What a session says of itself. ``cwd``: the folder it ran in, None when it does not say."""

    cwd: str | None
    version: int


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one call as the provider reported them; ``input`` is without what a cache served."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0

    @classmethod
    def reported(cls, report: object, names: tuple[str, str, str, str]) -> Usage:
        """What a report says under these names, in the order of the fields; 0 for what it does not say."""
        if not isinstance(report, dict):
            return cls()
        counts = (report.get(name) for name in names)
        return cls(*(count if isinstance(count, int) else 0 for count in counts))


@dataclass(frozen=True, slots=True)
class UserMessage:
    """What a person typed: it begins a turn, in a tool loop too."""

    content: Content


@dataclass(frozen=True, slots=True)
class Reply:
    """One assistant entry, which is one call. ``thinking`` is "" when there is none, parts when signed."""

    text: str
    thinking: Content
    calls: tuple[Call, ...]
    usage: Usage
    stop_reason: str


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The result of the tool call ``call_id`` (an id as recorded: not always unique in a session)."""

    call_id: str
    tool: str
    content: Content
    is_error: bool


@dataclass(frozen=True, slots=True)
class Entry:
    """What a host put into the context beside messages: bashExecution, custom_message, branch_summary."""

    role: str
    element: str
    content: Content


@dataclass(frozen=True, slots=True)
class Skipped:
    """How many records of a type carried nothing for the context. ``unknown``: no reader knows the type."""

    type: str
    count: int
    unknown: bool = False


@dataclass(frozen=True, slots=True)
class Note:
    """What a person should know of a recording: a torn line, a recorded compaction, a lost parent."""

    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Compaction:
    """A compaction that the host carried out: its later requests held a summary and what came from a point on.

    ``at``: how many messages and entries the session held then; ``first_kept``: how many of them lie before the
    first one that was kept.
    """

    at: int
    first_kept: int


Step = Reply | ToolResult | Entry
Item = Header | UserMessage | Step | Skipped | Note | Compaction


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn; ``user`` is None for what precedes the first message (turn 0)."""

    user: UserMessage | None
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Recording:
    """A whole recorded session. ``cwd``: the folder it ran in, None when it does not say."""

    path: Path
    cwd: str | None
    turns: tuple[Turn, ...]
    skipped: tuple[Skipped, ...]
    notes: tuple[Note, ...]
    compactions: tuple[Compaction, ...] = ()

    @property
    def calls(self) -> int:
        """How many model calls the session holds."""
        return sum(isinstance(step, Reply) for turn in self.turns for step in turn.steps)

    @property
    def typed(self) -> int:
        """How many messages a person typed: each began a turn."""
        return sum(turn.user is not None for turn in self.turns)


def gather(path: Path, items: Iterable[Item]) -> Recording:
    """The recording that a stream of items tells: every user message begins a turn."""
    cwd: str | None = None
    turns: list[tuple[UserMessage | None, list[Step]]] = [(None, [])]
    skipped: list[Skipped] = []
    notes: list[Note] = []
    compactions: list[Compaction] = []
    for item in items:
        match item:
            case Header():
                cwd = cwd or item.cwd
            case UserMessage():
                turns.append((item, []))
            case Skipped():
                skipped.append(item)
            case Note():
                notes.append(item)
            case Compaction():
                compactions.append(item)
            case _:
                turns[-1][1].append(item)
    if not turns[0][1]:
        del turns[0]
    made = tuple(Turn(user, tuple(steps)) for user, steps in turns)
    return Recording(path, cwd, made, tuple(skipped), tuple(notes), tuple(compactions))
