"""What can be proved of refusals over all cases: one never holds, an op is never allowed, or never on a kind."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from .cases import choices, conditions, is_of_targets, kinds_of, names, states, walk
from .decisions import UNTOUCHABLE
from .evaluate import holds
from .model import Expr, Op

#: Conditions that are evaluated for the proofs of one file, at most; the eight operations that ship take about 500.
MOST = 20_000

#: Longest expression that is looked at, in nodes.
LONGEST = 300


class _TooMany(Exception):
    """There are more cases than are looked at: nothing is claimed."""


class Effort:
    """What may still be looked at in a file; where it is used up, nothing more is claimed."""

    def __init__(self, left: int = MOST) -> None:
        self.left = left

    def spend(self) -> None:
        """One more condition is evaluated."""
        self.left -= 1
        if self.left < 0:
            raise _TooMany


def never_holds(op: Op, when: Expr, effort: Effort) -> bool:
    """Whether a condition holds for no arguments and no targets at all, however they are mixed."""
    try:
        return not any(holds(case, given, ()) for case, given in _Cases(op, when, effort).all())
    except _TooMany:
        return False


def never_allowed(op: Op, effort: Effort) -> bool:
    """Whether an op is refused whatever it is given."""
    refused = Expr("or", tuple(conditions(op)))
    try:
        cases = _Cases(op, refused, effort)
        if _is_plain(refused):
            return bool(refused.args) and all(holds(refused, given, targets) for given, targets in cases.alike())
        return all(holds(case, given, ()) for case, given in cases.all())
    except _TooMany:
        return False


def takes(op: Op, kind: str, effort: Effort) -> bool | None:
    """Whether an op is allowed on slots of a kind in some state, whatever it is given; None: that is not known."""
    refused = Expr("or", tuple(conditions(op)))
    if not _is_plain(refused):
        return None
    try:
        cases = _Cases(op, refused, effort).alike((kind,))
        return any(not holds(refused, given, targets) for given, targets in cases)
    except _TooMany:
        return None


def _is_plain(expr: Expr) -> bool:
    """Whether more targets only make it more true, so that targets that are all alike decide: no all(…), no not."""
    return not any(e.op == "all" or (e.op == "not" and is_of_targets(e)) for e in walk(expr))


class _Cases:
    """The cases of one expression of an op, as many as may be looked at."""

    def __init__(self, op: Op, expr: Expr, effort: Effort) -> None:
        self._op = op
        self._expr = expr
        self._effort = effort
        nodes = list(walk(expr))
        if len(nodes) > LONGEST:
            raise _TooMany
        self._over = list(dict.fromkeys(e for e in nodes if e.op in ("any", "all")))

    def all(self) -> Iterator[tuple[Expr, Mapping[str, Any]]]:
        """Each case: the expression with every any(…) and all(…) replaced by a value it can have, and arguments.

        The values are taken as independent, which allows more than there is: what never holds then never does.
        """
        for arguments in self._arguments():
            for values in product(*(self._possible(e.args[0], arguments) for e in self._over)):
                self._effort.spend()
                yield _with(self._expr, dict(zip(self._over, values, strict=True))), arguments

    def alike(self, kinds: Iterable[str] = ()) -> Iterator[tuple[Mapping[str, Any], Sequence[Mapping[str, Any]]]]:
        """Each case with targets that are all alike, of any kind or of some ``kinds``: arguments and targets."""
        for arguments in self._arguments():
            for kind in kinds or kinds_of([self._expr]):
                for state in states(kind, [self._expr]) if kind not in UNTOUCHABLE else ():
                    self._effort.spend()
                    yield arguments, [state]

    def _arguments(self) -> Iterator[Mapping[str, Any]]:
        """Every combination of the arguments that the expression asks about."""
        asked = [a for a in self._op.args if names([self._expr], a.name)]
        for given in product(*(choices(a, [self._expr], valid=False) for a in asked)):
            yield dict(zip((a.name for a in asked), given, strict=True))

    def _possible(self, inner: Expr, arguments: Mapping[str, Any]) -> tuple[bool, ...]:
        """The values that a condition on one target takes over all kinds and states."""
        found: set[bool] = set()
        asking = Expr("any", (inner,))
        for kind in kinds_of([inner]):
            for state in states(kind, [inner]) if kind not in UNTOUCHABLE else ():
                self._effort.spend()
                found.add(holds(asking, arguments, [state]))
                if len(found) == 2:
                    return (False, True)
        return tuple(found)


def _with(expr: Expr, values: Mapping[Expr, bool]) -> Expr:
    if expr in values:
        return Expr("value", (values[expr],))
    if expr.op in ("and", "or", "not"):
        return Expr(expr.op, tuple(_with(part, values) for part in expr.args))
    return expr
