"""What a message came to: the answer of a chat to its host."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ...grammar.errors import DccError


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a message, or a decision about an open turn, came to.

    ``kind``: a turn, a command, a bare patch, or nothing (there was no turn to decide about). ``turn``: its
    number; None when the turn was taken back. ``answer``: what the model said last, as it was read. ``output``: the
    answer to a command. ``error``: why it failed; nothing was committed then. ``is_open``: the turn waits for a
    decision: ``resume``, ``keep`` or ``drop``. ``stopped``: the host stopped it. ``notices``: (code, message).
    """

    kind: Literal["turn", "command", "bare", "nothing"]
    turn: int | None = None
    answer: str | None = None
    output: str | None = None
    error: DccError | None = None
    is_open: bool = False
    stopped: bool = False
    notices: tuple[tuple[str, str], ...] = ()
