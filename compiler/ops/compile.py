"""Ops as written -> ops as values: every name resolved, every type judged, a problem for what does not fit."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, cast

from ...grammar.ops_syntax import ArgumentSyntax, Name, Node, OpsSyntax, OpSyntax, RefusalSyntax
from ..problem import Problem, quote
from .effects import compile_effect
from .expressions import compile_condition
from .model import ArgType, Argument, Guard, Op, Refusal
from .scope import Scope, repeated, rewrite, twice, unknown
from .vocabulary import COMMON_CODES, GUARDS, TARGET_TYPES, TYPES

#: Names of ops, gates and codes: they stand in JSON, on command lines and in messages.
_NAME = re.compile(r"[a-z][a-z0-9_]*")
_PLACE = re.compile(r"\{([^{}]*)\}")

_DEFAULTS = {"word": ("name",), "text": ("text",), "count": ("number",), "flag": ("flag",)}
_WRITTEN = {"word": "one of its words", "text": 'a "text"', "count": "a whole number", "flag": "true or false"}


@dataclass(frozen=True, slots=True)
class CompiledOp:
    """An op with the syntax that it was made from."""

    op: Op
    syntax: OpSyntax


def compile_ops(syntax: OpsSyntax) -> tuple[tuple[CompiledOp, ...], list[Problem]]:
    """The ops of a file, and what is wrong with them. An op that has a problem is among them all the same."""
    problems: list[Problem] = []
    for name, first in repeated(op.name for op in syntax.ops):
        problems.append(twice("ops-duplicate", f"the op {quote(name.text)} is declared twice", name, first))
    compiled = tuple(CompiledOp(_op(op, problems), op) for op in syntax.ops)
    return compiled, problems


def _op(syntax: OpSyntax, problems: list[Problem]) -> Op:
    name = syntax.name.text
    arguments: dict[str, Argument] = {}
    for argument in syntax.arguments:
        arguments.setdefault(argument.name.text, _argument(argument, problems))
    scope = Scope(name, arguments, problems)
    _names(syntax, scope)
    targets = _targets(syntax, scope)
    if not syntax.effects:
        scope.report(
            "ops-without-effect", f"{quote(name)} has no effect: it would do nothing", syntax.name.span,
            "add one, such as `effect hold archived`",
        )  # fmt: skip
    return Op(
        name=name,
        doc=syntax.doc,
        args=tuple(arguments.values()),
        refusals=tuple(_refusal(refusal, scope) for refusal in syntax.refusals),
        guards=_guards(syntax, scope),
        effects=tuple(filter(None, (compile_effect(effect, scope) for effect in syntax.effects))),
        gate=syntax.gates[0].text if syntax.gates else None,
        reverse=syntax.reverses[0].text if syntax.reverses else None,
        targets=targets,
    )


def _names(syntax: OpSyntax, scope: Scope) -> None:
    """What is named twice in an op, and names that are no names."""
    groups: tuple[tuple[str, Sequence[Name]], ...] = (
        ("argument", [argument.name for argument in syntax.arguments]),
        ("guard", syntax.guards),
    )
    for what, names in groups:
        for name, first in repeated(names):
            message = f"the {what} {quote(name.text)} of {quote(scope.op)} is written twice"
            scope.problems.append(twice("ops-duplicate-argument", message, name, first))
    for what, names in (("gate", syntax.gates), ("reversed by", syntax.reverses)):
        for name in names[1:]:
            message = f"{quote(scope.op)} has `{what}` twice"
            scope.problems.append(twice("ops-duplicate-argument", message, name, names[0]))
    for name in (syntax.name, *syntax.gates, *(refusal.code for refusal in syntax.refusals)):
        if not _NAME.fullmatch(name.text):
            meant = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name.text).lower().replace("-", "_").strip("_")
            mends = (rewrite(name.span, meant),) if _NAME.fullmatch(meant) else ()
            scope.report(
                "ops-name", f"{quote(name.text)} is no name for an op, a gate or a code", name.span,
                "use small letters, digits and _, beginning with a letter", *mends,
            )  # fmt: skip
    codes = [refusal.code for refusal in syntax.refusals] + [a.otherwise for a in syntax.arguments if a.otherwise]
    for code in codes:
        if code.text in COMMON_CODES:
            scope.report(
                "ops-name", f"{quote(code.text)} is a rejection of the runtime's own, made of every op", code.span,
                "remove the refusal, or give it a code of its own",
            )  # fmt: skip


def _guards(syntax: OpSyntax, scope: Scope) -> tuple[Guard, ...]:
    """The guards; ``preserve`` reads an argument of its own name."""
    known = [guard for guard in syntax.guards if _known("guard", guard, GUARDS, scope)]
    preserved = scope.arguments.get("preserve")
    for guard in known:
        if guard.text == "preserve" and (preserved is None or preserved.type != "texts"):
            message = "the guard `preserve` needs an argument `preserve` of type texts: what must stand in the content"
            scope.report("ops-effect", message, guard.span, "declare `preserve: texts`")
    return tuple(cast(Guard, guard.text) for guard in known)


def _targets(syntax: OpSyntax, scope: Scope) -> str:
    """The argument that holds the targets: an op acts on slots, and one argument says on which."""
    found = [a for a in syntax.arguments if a.type.text in TARGET_TYPES]
    if not found:
        scope.report(
            "ops-targets", f"{quote(scope.op)} has no argument of type slots or slot: it would act on nothing",
            syntax.name.span, "declare `ids: slots`",
        )  # fmt: skip
    for extra in found[1:]:
        scope.report(
            "ops-targets", f"{quote(scope.op)} has its targets in {quote(found[0].name.text)} already",
            extra.name.span, "keep one argument of type slots or slot",
        )  # fmt: skip
    return found[0].name.text if found else "ids"


def _argument(syntax: ArgumentSyntax, problems: list[Problem]) -> Argument:
    name, kind = syntax.name.text, syntax.type.text
    words = tuple(dict.fromkeys(word.text for word in syntax.words))
    if kind not in TYPES:
        problems.append(unknown("ops-word", f"{quote(kind)} is no type", kind, syntax.type.span, TYPES))
        kind = "text"
    elif (kind == "word") != bool(syntax.words):
        problems.append(
            Problem(
                "ops-word", f"{quote(name)}: a word lists what it may be, and no other type does", syntax.type.span,
                help="write for example word(archived|hidden)",
            )
        )  # fmt: skip
    for word, first in repeated(syntax.words):
        problems.append(twice("ops-duplicate-argument", f"{quote(word.text)} is listed twice", word, first))
    if name == "op":
        message = "an argument cannot be called `op`: that is where the op's own name stands"
        problems.append(Problem("ops-name", message, syntax.name.span, help="call it otherwise"))
    default = None if syntax.default is None else _default(syntax, kind, words, problems)
    refuse = None if syntax.otherwise is None else syntax.otherwise.text
    required = refuse is not None and syntax.default is None
    return Argument(name, cast(ArgType, kind), syntax.doc, words, default, required, refuse)


def _default(syntax: ArgumentSyntax, kind: str, words: tuple[str, ...], problems: list[Problem]) -> Any:
    node = cast(Node, syntax.default)
    if node.kind not in _DEFAULTS.get(kind, ()):
        message = f"{quote(node.value)} is no default for an argument of type {kind}"
        takes = f"write {_WRITTEN[kind]}" if kind in _WRITTEN else "leave it out"
        problems.append(Problem("ops-default", message, node.span, help=takes))
    elif kind == "word" and words and node.value not in words:
        message = f"the default {quote(node.value)} is none of the words of {quote(syntax.name.text)}"
        problems.append(unknown("ops-default", message, str(node.value), node.span, words))
    return node.value


def _refusal(syntax: RefusalSyntax, scope: Scope) -> Refusal:
    for place in _PLACE.findall(syntax.message):
        if place != "ids" and place not in scope.arguments:
            message = f"`{{{place}}}` in the message of {quote(syntax.code.text)} names no argument"
            scope.unknown_argument(message, place, syntax.code.span, whole=False)
    return Refusal(syntax.code.text, compile_condition(syntax.when, scope), syntax.message)


def _known(what: str, name: Name, words: Iterable[str], scope: Scope) -> bool:
    known = tuple(words)
    if name.text not in known:
        scope.problems.append(unknown("ops-word", f"{quote(name.text)} is no {what}", name.text, name.span, known))
    return name.text in known
