"""The syntax of ``*.ops`` files as values with spans (language.md section 6); what its names mean is the compiler's."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from .errors import GrammarError
from .spans import Span

#: What a node of an expression is. Those of the last line have a ``value`` and no parts.
NodeKind = Literal[
    "or", "and", "not", "any", "all",
    "==", "!=", "<", "<=", ">", ">=", "in", "list",
    "missing", "blank", "count",
    "name", "fact", "text", "number", "flag",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Name:
    """A word of the file: an op, an argument, a type, a code."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Node:
    """One node of an expression.

    ``name`` is an argument, or a word that means itself; ``fact`` is one of the target. The part of ``missing``,
    ``blank`` and ``count`` is the name of an argument.
    """

    kind: NodeKind
    span: Span
    parts: tuple[Node, ...] = ()
    value: str | int | bool | None = None

    def walk(self) -> Iterator[Node]:
        """This node and all under it."""
        yield self
        for part in self.parts:
            yield from part.walk()


@dataclass(frozen=True, slots=True)
class ArgumentSyntax:
    """``name: type(words) = default else code "doc"``."""

    name: Name
    type: Name
    words: tuple[Name, ...]
    default: Node | None
    otherwise: Name | None
    doc: str
    span: Span


@dataclass(frozen=True, slots=True)
class RefusalSyntax:
    """``refuse code when expression "message"``."""

    code: Name
    when: Node
    message: str
    span: Span


@dataclass(frozen=True, slots=True)
class EffectSyntax:
    """``effect kind how { option: argument, option: "text" } when expression``."""

    kind: Name
    how: Name | None
    options: tuple[tuple[Name, Node], ...]
    when: Node | None
    span: Span


@dataclass(frozen=True, slots=True)
class OpSyntax:
    """One declared operation as written. ``span`` is the whole of it."""

    name: Name
    doc: str
    gates: tuple[Name, ...]
    reverses: tuple[Name, ...]
    arguments: tuple[ArgumentSyntax, ...]
    refusals: tuple[RefusalSyntax, ...]
    guards: tuple[Name, ...]
    effects: tuple[EffectSyntax, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class OpsSyntax:
    """A file: the ops that parse, an error for each that does not, and where its quoted texts stand."""

    ops: tuple[OpSyntax, ...]
    errors: tuple[GrammarError, ...]
    texts: tuple[Span, ...]
