"""A diagnostic: a finding in a file, its place, its reason and its mend (contracts.md, ``dcc check``)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ..grammar.ast import Severity


@dataclass(frozen=True, slots=True)
class Position:
    """A place in a text: line and column from 1, offset in characters from 0."""

    line: int
    column: int
    offset: int


START = Position(1, 1, 0)


@dataclass(frozen=True, slots=True)
class Related:
    """Another place that has to do with a finding, such as the first of two equal keys."""

    message: str
    path: str
    start: Position
    end: Position


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace the characters in [start, end) by ``text``."""

    start: Position
    end: Position
    text: str


@dataclass(frozen=True, slots=True)
class Fix:
    """A mend that a tool can make. ``safe``: it cannot change what the ruleset means."""

    title: str
    safe: bool
    edits: tuple[Edit, ...]


@dataclass(frozen=True, slots=True)
class Witness:
    """A slot that shows a finding when the ruleset is played: one of ``element``, looked at in turn ``turn``.

    What it shows there is the finding's own: that the slot is off stage, that the request breaks, that it is
    too long.
    """

    element: str
    turn: int


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """A finding: ``start`` to ``end`` is half-open; ``help`` says how to mend it.

    ``witness`` is there for what is proved of the time on stage, not read off the text.
    """

    code: str
    name: str
    severity: Severity
    message: str
    path: str
    start: Position = START
    end: Position = START
    related: tuple[Related, ...] = ()
    help: str | None = None
    fixes: tuple[Fix, ...] = ()
    witness: Witness | None = None


def sort_diagnostics(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """The diagnostics by path, offset and code, each once."""
    return tuple(
        sorted(dict.fromkeys(diagnostics), key=lambda d: (d.path, d.start.offset, d.code, d.message))
    )


def has_errors(diagnostics: Iterable[Diagnostic]) -> bool:
    """Whether any of the diagnostics stops a ruleset from being compiled."""
    return any(d.severity == "error" for d in diagnostics)
