"""Expressions of ops: names to arguments, facts and constants, and whether what is compared can be compared."""

from __future__ import annotations

from typing import Literal

from ...grammar.ops_syntax import Node
from ...grammar.spans import Span
from ..problem import one_of, quote
from .model import FACTS, Argument, Expr
from .scope import Scope, unknown
from .vocabulary import FACT_VALUES

#: What a question is answered with.
Answer = Literal["word", "text", "number", "flag"]

_FACT_ANSWERS: dict[type, Answer] = {str: "text", bool: "flag", int: "number"}
_ARGUMENT_ANSWERS: dict[str, Answer] = {"word": "word", "text": "text", "count": "number", "flag": "flag"}
_ORDERED = frozenset({"<", "<=", ">", ">="})

#: What stands for a part that was refused: the op is not used then.
NOTHING = Expr("value", (False,))


def compile_condition(node: Node, scope: Scope, within: bool = False) -> Expr:
    """What an expression means, problems noted in ``scope``; ``within``: it is asked of each target."""
    match node.kind:
        case "or" | "and" | "not":
            return Expr(node.kind, tuple(compile_condition(part, scope, within) for part in node.parts))
        case "any" | "all":
            if within:
                scope.report(
                    "ops-comparison",
                    f"{node.kind}(…) stands inside any(…) or all(…), which asks of each target already",
                    node.span,
                    "write the conditions of one target side by side, joined by and, or",
                )
            return Expr(node.kind, (compile_condition(node.parts[0], scope, True),))
        case "missing" | "blank":
            return _call(node, scope)
        case "in" | "==" | "!=" | "<" | "<=" | ">" | ">=":
            return _comparison(node, scope, within)
        case _:
            expr, answer, _ = _question(node, scope, within)
            if answer not in ("flag", None):
                scope.report(
                    "ops-comparison",
                    f"this is a {answer}, a condition is true or false",
                    node.span,
                    'compare it: `visibility == hidden`, `count(ids) < 2`, `target.kind in [user, system]`',
                )
            return expr


def _comparison(node: Node, scope: Scope, within: bool) -> Expr:
    left, right = node.parts
    expr, answer, values = _question(left, scope, within)
    if node.kind in _ORDERED and answer not in ("number", None):
        scope.report(
            "ops-comparison",
            f"`{node.kind}` compares numbers, the left side is a {answer}",
            node.span,
            "write == or !=, or ask count(…) or target.tokens",
        )
        return NOTHING
    if node.kind == "in":
        constants = tuple(_constant(item, answer, values, scope, listed=True).args[0] for item in right.parts)
        return Expr("in", (expr, Expr("list", constants)))
    return Expr(node.kind, (expr, _constant(right, answer, values, scope)))


def _question(node: Node, scope: Scope, within: bool) -> tuple[Expr, Answer | None, tuple[str, ...]]:
    """The left side of a comparison: what it asks, the kind of the answer (None: refused), the words it can be."""
    match node.kind:
        case "fact":
            return _fact(node, scope, within)
        case "count":
            return _call(node, scope), "number", ()
        case _:
            argument = scope.argument(str(node.value), node.span)
            if argument is None:
                return NOTHING, None, ()
            if argument.type not in _ARGUMENT_ANSWERS:
                scope.report(
                    "ops-comparison",
                    f"{quote(argument.name)} is a list",
                    node.span,
                    f"ask count({argument.name}), blank({argument.name}) or any(target.…)",
                )
                return NOTHING, None, ()
            return Expr("arg", (argument.name,)), _ARGUMENT_ANSWERS[argument.type], argument.words


def _fact(node: Node, scope: Scope, within: bool) -> tuple[Expr, Answer | None, tuple[str, ...]]:
    name = str(node.value)
    if name not in FACTS:
        span = Span(node.span.end - len(name), node.span.end)
        scope.problems.append(unknown("ops-fact", f"targets have no fact {quote(name)}", name, span, FACTS))
        return NOTHING, None, ()
    if not within:
        scope.report(
            "ops-comparison",
            f"target.{name} is asked outside any(…) and all(…)",
            node.span,
            f"an op may have several targets: write any(target.{name} …)",
        )
    values = FACT_VALUES.get(name, ())
    return Expr("target", (name,)), "word" if values else _FACT_ANSWERS[FACTS[name]], values


def _call(node: Node, scope: Scope) -> Expr:
    part = node.parts[0]
    argument = scope.argument(str(part.value), part.span)
    if argument is not None and node.kind == "count" and argument.type not in ("slots", "texts"):
        scope.report(
            "ops-comparison",
            f"count({argument.name}): {quote(argument.name)} is no list",
            node.span,
            "count(…) takes an argument of type slots or texts",
        )
    return Expr(node.kind, (str(part.value),))


def _constant(
    node: Node, answer: Answer | None, values: tuple[str, ...], scope: Scope, *, listed: bool = False
) -> Expr:
    """The right side: a word that the left can be, else an argument of that name, else the word itself."""
    argument = None
    if node.kind == "name" and node.value not in values and not listed:
        argument = scope.arguments.get(str(node.value))
    if argument is not None:
        return _argument(node, argument, answer, scope)
    value = node.value
    if answer == "word" and node.kind in ("name", "text"):
        if value not in values:
            check = "ops-fact" if values in FACT_VALUES.values() else "ops-word"
            message = f"{quote(value)} is none of its values, which are {one_of(values)}"
            scope.problems.append(unknown(check, message, str(value), node.span, values))
        return Expr("value", (value,))
    given = {"name": "text", "text": "text", "number": "number", "flag": "flag"}[node.kind]
    if answer is not None and given != answer:
        if node.kind == "name" and answer != "text":
            scope.unknown_argument(f"{quote(value)} is no {answer} and no argument", str(value), node.span)
        else:
            said = f"a {given} is compared with a {answer}"
            scope.report("ops-comparison", f"{said}, which it never is", node.span, f"write a {answer} here")
    return Expr("value", (value,))


def _argument(node: Node, argument: Argument, answer: Answer | None, scope: Scope) -> Expr:
    given = _ARGUMENT_ANSWERS.get(argument.type)
    alike = given == answer or {given, answer} == {"word", "text"}
    if answer is not None and not alike:
        scope.report(
            "ops-comparison",
            f"{quote(argument.name)} is a {given or 'list'}, it is compared with a {answer}",
            node.span,
            f"write a {answer} here",
        )
    return Expr("arg", (argument.name,))
