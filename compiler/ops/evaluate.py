"""Evaluates expressions of ops over plain values: pure, and the same for the decision table and for a session.

Arguments are as the wire gives them: None or absent is missing; ``slots`` and ``texts`` are sequences. Targets are
mappings from the facts of ``model.FACTS`` to values.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .model import Expr

_ORDER: Mapping[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}

Facts = Mapping[str, Any]


def holds(expr: Expr, arguments: Mapping[str, Any], targets: Sequence[Facts]) -> bool:
    """Whether an expression is true of an op's arguments and the facts of its targets."""
    return bool(_value(expr, arguments, targets, None))


def offenders(expr: Expr, arguments: Mapping[str, Any], targets: Sequence[Facts]) -> tuple[int, ...]:
    """The indexes of the targets that an ``any(…)`` of a true expression names; none when no target made it true."""
    found: set[int] = set()
    _gather(expr, arguments, targets, found)
    return tuple(sorted(found))


def _gather(expr: Expr, arguments: Mapping[str, Any], targets: Sequence[Facts], found: set[int]) -> None:
    match expr.op:
        case "and" | "or":
            for part in expr.args:
                if holds(part, arguments, targets):
                    _gather(part, arguments, targets, found)
        case "any":
            found.update(i for i, target in enumerate(targets) if _value(expr.args[0], arguments, targets, target))
        case "not" if expr.args[0].op == "all":
            inner = expr.args[0].args[0]
            found.update(i for i, target in enumerate(targets) if not _value(inner, arguments, targets, target))


def _value(expr: Expr, arguments: Mapping[str, Any], targets: Sequence[Facts], target: Facts | None) -> Any:
    args = expr.args
    # What there is most of is asked first.
    match expr.op:
        case "target":
            return None if target is None else target.get(args[0])
        case "value":
            return args[0]
        case "==" | "!=" | "in" | "<" | "<=" | ">" | ">=":
            left, right = args
            return _compared(
                expr.op, _value(left, arguments, targets, target), _value(right, arguments, targets, target)
            )
        case "or" | "and":
            for part in args:
                if bool(_value(part, arguments, targets, target)) is (expr.op == "or"):
                    return expr.op == "or"
            return expr.op == "and"
        case "not":
            return not _value(args[0], arguments, targets, target)
        case "any" | "all":
            for each in targets:
                if bool(_value(args[0], arguments, targets, each)) is (expr.op == "any"):
                    return expr.op == "any"
            return expr.op == "all"
        case "missing":
            return arguments.get(args[0]) is None
        case "blank":
            return _blank(arguments.get(args[0]))
        case "count":
            given = arguments.get(args[0])
            return 1 if isinstance(given, str) else len(given or ())
        case "arg":
            return arguments.get(args[0])
    return args  # A list: the one kind that is left.


def _blank(value: Any) -> bool:
    """Whether nothing is said: missing, white space, or a list without any text that says something."""
    if isinstance(value, str):
        return not value.strip()
    return value is None or (isinstance(value, Sequence) and all(_blank(item) for item in value))


def _compared(sign: str, left: Any, right: Any) -> bool:
    """A comparison. What is missing is equal to nothing and comes before nothing."""
    if sign == "in":
        return left in right
    if sign in ("==", "!="):
        return bool(left == right) is (sign == "==")
    # A fact or an argument that is absent is no number: no order holds of it.
    numbers = isinstance(left, int | float) and isinstance(right, int | float)
    return numbers and _ORDER[sign](left, right)
