"""A scenario as values: what its file says, checked for shape, before anything runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ...compiler.problem import KeyPath, Problem
from ...grammar.errors import DccError
from ..kernel.content import Content, Opaque
from ..values import GovernanceFlags, Usage


class ScenarioError(DccError):
    """A scenario that cannot be read or played; ``problems`` holds every one found, by key path."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        first = problems[0]
        super().__init__(first.name.replace("-", "_"), first.message, help=first.help)
        self.problems = problems


@dataclass(frozen=True, slots=True)
class Expect:
    """What a step or a call is compared with: field name to the expected value."""

    fields: Mapping[str, Any]
    path: KeyPath


@dataclass(frozen=True, slots=True)
class WrittenCall:
    """A tool call as the scenario writes it; ``arguments`` is a mapping or raw JSON text."""

    id: str
    name: str
    arguments: Mapping[str, Any] | str


@dataclass(frozen=True, slots=True)
class WrittenResult:
    """A tool's result. ``content`` None: the tool was started and no result came."""

    id: str
    content: Content | None
    is_error: bool
    path: KeyPath


@dataclass(frozen=True, slots=True)
class WrittenCallItem:
    """One model call: its reply and the results of its tools, or the reason why it failed.

    ``answers`` False: the item holds results only, for the tools that a resumed turn still waits for.
    """

    path: KeyPath
    answers: bool = True
    text: str = ""
    thinking: str | tuple[Opaque, ...] = ""
    tool_calls: tuple[WrittenCall, ...] = ()
    results: tuple[WrittenResult, ...] = ()
    usage: Usage | None = None
    fail: str | None = None
    expect: Expect | None = None


@dataclass(frozen=True, slots=True)
class Action:
    """One act of a ``do`` step, with its arguments."""

    name: str
    args: Mapping[str, Any]
    path: KeyPath


@dataclass(frozen=True, slots=True)
class Wait:
    """Time that passes before a step: ``seconds`` from now, or until ``instant`` (ISO 8601)."""

    seconds: float = 0.0
    instant: str | None = None


@dataclass(frozen=True, slots=True)
class WrittenSummary:
    """What the compressor answers in a step, or the reason why it fails."""

    text: str = ""
    fail: str | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """One step. Exactly one of ``user``, ``actions``, ``resume`` and ``abort`` says what it does.

    ``typed``: a person typed the message, no host said it of its own accord. ``name``: what later steps call it by.
    """

    path: KeyPath
    user: Content | None = None
    actions: tuple[Action, ...] | None = None
    resume: bool = False
    abort: bool = False
    calls: tuple[WrittenCallItem, ...] = ()
    labels: Mapping[str, Any] | None = None
    typed: bool = True
    wait: Wait | None = None
    summary: WrittenSummary | None = None
    expect: Expect | None = None
    name: str | None = None


@dataclass(frozen=True, slots=True)
class Scenario:
    """A whole scenario. ``ruleset`` is a name, a path or an inline mapping.

    ``flags``: what its person says of governance beside the ruleset.
    """

    ruleset: str | Mapping[str, Any]
    steps: tuple[Step, ...]
    system: str | None = None
    folder: str = ""
    about: str | None = None
    flags: GovernanceFlags = field(default_factory=GovernanceFlags)
