"""The op table: declared operations as values (language.md section 6, spec/cpat.md section 3).

Made from ``*.ops`` files by the compiler, part of the Program, read by the runtime. Nothing here is evaluated as
Python: an expression is a small tree over a closed list of operators, arguments and facts of the targets.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

ArgType = Literal["slots", "slot", "text", "texts", "word", "count", "flag"]
EffectKind = Literal["hold", "lift", "represent", "bear", "replace", "purge"]
Guard = Literal["gain", "preserve", "budget", "consecutive"]

#: Guards that need the staged view of the whole transaction, with the code of a refusal.
GUARD_CODES: Mapping[str, str] = {
    "gain": "no_gain",
    "preserve": "preserve_missing",
    "budget": "budget_exceeded",
    "consecutive": "fold_range",
}

#: Facts that an expression may ask of a target, with the type of their value.
FACTS: Mapping[str, type] = {
    "kind": str,
    "element": str,
    "visibility": str,
    "storage": str,
    "protected": bool,
    "current_question": bool,
    "state": bool,
    "unread": bool,
    "open_chain": bool,
    "calls_tools": bool,
    "is_error": bool,
    "json_object": bool,
    "lost": bool,
    "tokens": int,
}


@dataclass(frozen=True, slots=True)
class Expr:
    """One node: ``op`` and what it is applied to.

    ``op`` is one of: ``or and not``; ``== != < <= > >= in``; ``any all`` (one Expr over each target); ``arg`` (an
    argument's name), ``target`` (a fact's name), ``value`` (a constant), ``list`` (constants); ``missing blank count``
    (an argument's name).
    """

    op: str
    args: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument. ``words``: the values of a ``word``.

    ``refuse``: the rejection code when it is missing or no value of its type; ``required``: it has one and no default.
    """

    name: str
    type: ArgType
    doc: str = ""
    words: tuple[str, ...] = ()
    default: Any = None
    required: bool = False
    refuse: str | None = None


@dataclass(frozen=True, slots=True)
class Refusal:
    """A precondition that fails: its code, when it does, and what is said (``{ids}`` are the targets it names)."""

    code: str
    when: Expr
    message: str


@dataclass(frozen=True, slots=True)
class Effect:
    """One effect on the targets. ``when``: only then. ``options`` by kind:

    hold: ``how`` archived|hidden, or ``arg`` (the argument that says it). lift: none. represent: ``how`` full|ref|stub,
    ``note`` and ``hint`` (arguments whose text stands before the address). bear: ``content``, ``description``
    (arguments), ``prefix`` (a text in which ``{argument}`` stands for its value). replace: ``content``,
    ``description``. purge: ``fields``, ``keep`` (arguments: names of JSON fields).
    """

    kind: EffectKind
    when: Expr | None = None
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Op:
    """A declared operation. ``gate``: what governance.gates must hold; ``targets``: the argument with the slots."""

    name: str
    doc: str
    args: tuple[Argument, ...]
    refusals: tuple[Refusal, ...]
    guards: tuple[Guard, ...]
    effects: tuple[Effect, ...]
    gate: str | None = None
    reverse: str | None = None
    targets: str = "ids"

    def arg(self, name: str) -> Argument | None:
        """The argument of a name."""
        return next((a for a in self.args if a.name == name), None)


@dataclass(frozen=True, slots=True)
class OpTable:
    """The operations that a ruleset offers, by name in the order of their files."""

    ops: Mapping[str, Op] = field(default_factory=dict)
