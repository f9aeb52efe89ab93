"""The syntax that the grammars of this folder produce: values with spans, no behaviour."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from .spans import Span

BoundKind = Literal[
    "born",  # the birth turn + n turns, or the n requests after birth (unit calls)
    "turn",  # the absolute turn n
    "open",  # no end
    "until_cancelled",
    "until_end",  # governed by the slots of `element` (until_goal_end: goal)
    "until_superseded",
    "idle",  # n turns or calls after the last touch of the slot's key
    "cycle",
    "labelled",
]
Unit = Literal["turns", "calls"]


@dataclass(frozen=True, slots=True)
class Bound:
    """One side of a rule (language.md section 2). ``n`` is an offset, a length or an absolute turn."""

    kind: BoundKind
    n: int = 0
    unit: Unit = "turns"
    element: str | None = None

    @property
    def is_event(self) -> bool:
        """Whether an event, not the clock, ends a slot with this bound."""
        return self.kind in ("until_cancelled", "until_end", "until_superseded", "cycle", "labelled")


BORN = Bound("born")
OPEN = Bound("open")

Mode = Literal["remain", "roll", "refresh"]
Severity = Literal["error", "warning", "info"]


@dataclass(frozen=True, slots=True)
class Finding:
    """Something to tell the person who typed a message. ``info`` is a hint."""

    code: str
    severity: Severity
    message: str
    span: Span
    help: str | None = None


@dataclass(frozen=True, slots=True)
class Patch:
    """A content patch as typed: ``/element content mode turns``; ``turns`` None is ``none``."""

    element: str
    content: str
    mode: Mode
    turns: int | None
    span: Span


@dataclass(frozen=True, slots=True)
class Command:
    """A command as typed. ``name`` has no slash and no alias; ``args`` are those of contracts.md."""

    name: str
    args: Mapping[str, object]
    span: Span


@dataclass(frozen=True, slots=True)
class Message:
    """A chat message, read: the text for the model (None: nothing is left), patches, a command."""

    text: str | None
    patches: tuple[Patch, ...] = ()
    command: Command | None = None
    findings: tuple[Finding, ...] = ()

    @property
    def is_bare(self) -> bool:
        """Whether the message holds patches and nothing for the model: no model call, no turn."""
        return self.text is None and self.command is None and bool(self.patches)

    @property
    def is_empty(self) -> bool:
        """Whether the message says nothing at all."""
        return self.text is None and self.command is None and not self.patches


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What the message grammar must know of a ruleset.

    ``declared``: elements named in life_cycle or roles, or shipped. ``patchable``: those of them that
    may be patched in the middle of a line (language.md section 3, rule 2). ``refinements``: the finer
    elements of what tools bring (``of:``).
    """

    declared: frozenset[str]
    patchable: frozenset[str]
    refinements: frozenset[str] = frozenset()
