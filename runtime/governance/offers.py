"""Offers: the operations that make slots smaller, where what they declare does not refuse it.

What an operation declares asks of nothing but its arguments and facts of its targets, and slots are much alike: it is
asked once for all that are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple

from ...compiler.ops.cases import walk
from ...compiler.ops.evaluate import holds
from ...compiler.ops.model import Argument, Effect, Expr, Op, OpTable
from .effects import missing
from .facts import Facts
from .wire import Asked

#: Effects that make the context smaller.
_REDUCING = ("represent", "bear", "hold")

#: Arguments that say something as short as can be, by type.
_GIVEN: Mapping[str, Any] = {"text": "x", "texts": ("x",), "count": 1, "flag": True}

#: Arguments that are the targets.
_NAMING = ("slots", "slot")

#: Of how many kinds of targets it is kept what is offered; where an operation asks of tokens, few are alike.
_KEPT = 512


class Offer(NamedTuple):
    """An operation on slots, with arguments that say something, and with the effects alone that it has on them.

    ``change``: a number that operations share which do the same to the slots, whatever they bear besides.
    """

    asked: Asked
    change: int


class Offers:
    """Tells what is offered, of the operations of a table that the gates let through."""

    def __init__(self, table: OpTable, gates: frozenset[str]) -> None:
        open_ones = [op for op in table.ops.values() if op.gate is None or op.gate in gates]
        self._ops = [op for op in open_ones if any(map(_reduces, op.effects))]
        parts = (part for op in self._ops for expr in _conditions(op) for part in walk(expr))
        self._told = tuple(dict.fromkeys(part.args[0] for part in parts if part.op == "target"))
        self._find = lru_cache(_KEPT)(self._find_anew)

    def on(self, targets: Sequence[Facts]) -> list[Offer]:
        """The operations on these slots, in the order of the table."""
        ids = tuple([facts.id for facts in targets])
        alike = tuple([tuple([facts[name] for name in self._told]) for facts in targets])
        return [
            Offer(Asked(0, op, given | dict.fromkeys(naming, ids), ids), change)
            for op, given, naming, change in self._find(alike)
        ]

    def _find_anew(self, alike: tuple[tuple[Any, ...], ...]) -> list[_Found]:
        targets = [dict(zip(self._told, values, strict=True)) for values in alike]
        ids = tuple(map(str, range(len(targets))))
        changes: list[list[Effect]] = []
        found: list[_Found] = []
        for op in self._ops:
            naming = tuple(argument.name for argument in op.args if argument.type in _NAMING)
            given = {argument.name: _given(argument) for argument in op.args if argument.name not in naming}
            asked = Asked(0, op, given | dict.fromkeys(naming, ids), ids)
            coming = _coming(asked, targets)
            if _is_offered(asked, coming, targets):
                # What else operations do to slots is told by their arguments, or is seldom the same.
                change = [effect for effect in coming if effect.kind != "bear"]
                is_plain = all(effect.kind in ("hold", "lift") for effect in change)
                if not is_plain or change not in changes:
                    changes.append(change)
                number = changes.index(change) if is_plain else len(changes) - 1
                found.append(_Found(replace(op, refusals=(), effects=coming), given, naming, number))
        return found


class _Found(NamedTuple):
    """An operation as it is offered on all targets that are alike; ``naming``: the arguments that are the targets."""

    op: Op
    given: dict[str, Any]
    naming: tuple[str, ...]
    change: int


def _reduces(effect: Effect) -> bool:
    return effect.kind in _REDUCING and effect.options.get("how") != "full"


def _conditions(op: Op) -> Iterator[Expr]:
    yield from (refusal.when for refusal in op.refusals)
    yield from (effect.when for effect in op.effects if effect.when is not None)


def _is_offered(asked: Asked, coming: Sequence[Effect], targets: Sequence[Mapping[str, Any]]) -> bool:
    """Whether the operation takes so many targets, would make them smaller, and refuses them not of itself."""
    op = asked.op
    if len(targets) > 1 and any(argument.type == "slot" for argument in op.args):
        return False
    is_refused = any(holds(refusal.when, asked.arguments, targets) for refusal in op.refusals)
    return any(map(_reduces, coming)) and not is_refused and not missing(asked, targets)


def _coming(asked: Asked, targets: Sequence[Mapping[str, Any]]) -> tuple[Effect, ...]:
    """The effects that the operation has on such targets, without conditions, and with what its arguments say."""
    coming = [e for e in asked.op.effects if e.when is None or holds(e.when, asked.arguments, targets)]
    return tuple(
        Effect("hold", None, {"how": asked.arguments[effect.options["arg"]]})
        if effect.kind == "hold" and "arg" in effect.options else replace(effect, when=None)
        for effect in coming
    )  # fmt: skip


def _given(argument: Argument) -> Any:
    if argument.type == "word":
        return argument.default or argument.words[0]
    return _GIVEN[argument.type]
