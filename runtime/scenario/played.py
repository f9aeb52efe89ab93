"""What playing a scenario gave: values that the report prints and ``expect`` is compared with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from ..governance.journal import Entry
from ..session import Happenings, QueuedPatch, Request, Session

Ranges = Mapping[str, list[list[Any]]]


@dataclass(frozen=True, slots=True)
class PlayedResult:
    """A tool result that was born: the call it answers, its slot, whether it is an error.

    ``content``: the text of one that dcc itself served.
    """

    id: str
    slot: str
    is_error: bool
    content: str | None = None


@dataclass(frozen=True, slots=True)
class PlayedCall:
    """A model call: its request, and the results that came back. ``failed``: why there is no reply.

    ``is_whole``: the request keeps its slots and its messages.
    """

    request: Request
    results: tuple[PlayedResult, ...] = ()
    failed: str | None = None
    is_whole: bool = True

    def summed_up(self) -> PlayedCall:
        """The call without what its request held: of a long scenario that is most of the memory."""
        return replace(self, request=replace(self.request, messages=[], system=[], views=(), body=[]), is_whole=False)


@dataclass(frozen=True, slots=True)
class PlayedStep:
    """A step and the state after it (the fields of contracts.md). ``title`` names it for people.

    ``ranges`` cost what the whole history does: they are there for a step that expects some, else empty; so does
    ``stage`` (see ``play``).
    ``prompt``: what the compressor was asked, if it was. ``transactions``: entries of the journal; ``band``; slots that
    are ``archived`` and ``hidden``: of a step that is kept whole, under a ruleset that names operations or limits.
    """

    title: str
    turn: int | None
    committed: bool
    text: str | None
    calls: tuple[PlayedCall, ...]
    happenings: Happenings
    stage: tuple[str, ...]
    queue: tuple[QueuedPatch, ...]
    ranges: Ranges
    state_hash: str
    error: str | None
    output: str | None
    prompt: str | None
    notices: tuple[tuple[str, str], ...]
    transactions: tuple[Entry, ...] = ()
    band: str | None = None
    archived: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Played:
    """A whole scenario, played; ``session`` stands where its last step left it."""

    ruleset: str
    format: str
    steps: tuple[PlayedStep, ...]
    session: Session
