"""The decision table: for each op, each kind of slot and each state it can be in, allowed or the first rejection.

Arguments are otherwise valid, all targets are alike and gates are open. What needs the whole transaction (guards, and
the checks at its end) is decided at run time.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, product
from typing import Any

from .cases import State, asked, choices, conditions, is_of_targets, kinds_of, names, states
from .evaluate import holds
from .model import Op, OpTable

ALLOWED = "allowed"

#: The runtime's own rejection of the system's slots, whatever the op (spec/cpat.md section 3).
UNTOUCHABLE: Mapping[str, str] = {"system": "protected_kind"}

#: Combinations of arguments that are tried to find valid ones, at most.
MOST = 4_096

Arguments = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Decision:
    """One row. ``choice``: the word and flag arguments; ``state``: the facts that the op asks about."""

    op: str
    choice: tuple[tuple[str, Any], ...]
    kind: str
    state: tuple[tuple[str, Any], ...]
    result: str


def decisions(table: OpTable) -> Iterator[Decision]:
    """Every row of the table, by op, choice, kind and state."""
    for op in table.ops.values():
        exprs = conditions(op)
        for choice in _choices(op):
            arguments, reason = valid_arguments(op, choice)
            for kind in kinds_of(exprs):
                for state in states(kind, exprs):
                    result = UNTOUCHABLE.get(kind) or reason or first_code(op, arguments, state) or ALLOWED
                    facts = tuple((fact, state[fact]) for fact in asked(exprs))
                    yield Decision(op.name, tuple(choice.items()), kind, facts, result)


def first_code(op: Op, arguments: Arguments, state: State) -> str | None:
    """The first refusal of an op on targets that are all alike; None: it is allowed."""
    targets = [state] * len(arguments[op.targets])
    return next((r.code for r in op.refusals if holds(r.when, arguments, targets)), None)


def valid_arguments(op: Op, choice: Mapping[str, Any]) -> tuple[Arguments, str | None]:
    """Arguments with which no refusal holds that asks about them alone, and None; else some, and the first code."""
    exprs = conditions(op)
    free = [argument for argument in op.args if argument.name not in choice]
    alone = [refusal for refusal in op.refusals if not is_of_targets(refusal.when)]
    arguments: Arguments = {}
    reason = None
    for values in islice(product(*(choices(a, exprs, valid=True) for a in free)), MOST):
        arguments = {op.targets: ("id",), **choice, **dict(zip((a.name for a in free), values, strict=True))}
        reason = next((r.code for r in alone if holds(r.when, arguments, ())), None)
        if reason is None:
            break
    return arguments, reason


def _choices(op: Op) -> Iterator[Mapping[str, Any]]:
    """The values of word and flag arguments that refusals ask about; each is a case of its own."""
    exprs = conditions(op)
    named = [a for a in op.args if a.type in ("word", "flag") and names(exprs, a.name)]
    for values in islice(product(*(choices(a, exprs, valid=True) for a in named)), MOST):
        yield {a.name: value for a, value in zip(named, values, strict=True)}


def summary(rows: Sequence[Decision]) -> str:
    """Rows of one op, choice and kind in words: ``allowed``, ``unread: protected_unread; else allowed``."""
    return "; ".join(_said([(dict(row.state), row.result) for row in rows]))


def _said(rows: Sequence[tuple[Mapping[str, Any], str]]) -> Iterator[str]:
    """Name the states that have one result together, the widest first, until all that are left have one."""
    first = True
    while len({result for _, result in rows}) > 1:
        fact, values = _split(rows)
        inside = [row for row in rows if row[0][fact] in values]
        rows = [row for row in rows if row[0][fact] not in values]
        said = "; ".join(_said(inside))
        named = _condition(fact, values, {row[0][fact] for row in (*inside, *rows)})
        yield f"{named}: ({said})" if "; " in said else f"{named}: {said}"
        first = False
    yield rows[0][1] if first else f"else {rows[0][1]}"


def _split(rows: Sequence[tuple[Mapping[str, Any], str]]) -> tuple[str, tuple[Any, ...]]:
    """The fact to name next, and its values with which all states have one and the same result, if there are any."""
    found: dict[str, dict[Any, set[str]]] = {}
    for state, result in rows:
        for fact, value in state.items():
            found.setdefault(fact, {}).setdefault(value, set()).add(result)
    best: tuple[tuple[bool, bool, bool, bool], str, tuple[Any, ...]] | None = None
    for fact, results in found.items():
        if len(results) == 1:
            continue
        for value, those in results.items():
            values = tuple(v for v, others in results.items() if others == those and len(those) == 1) or (value,)
            rest = {result for v, others in results.items() if v not in values for result in others}
            # A refusal is better named than what is left when none holds, and "unread" better than "not unread".
            rank = (len(those) == 1 and len(values) < len(results), len(rest) == 1, those != {ALLOWED}, bool(value))
            if best is None or rank > best[0]:
                best = rank, fact, values if len(values) < len(results) else (value,)
    assert best is not None, "rows that differ in their results differ in a fact"
    return best[1], best[2]


def _condition(fact: str, values: Sequence[Any], among: Collection[Any]) -> str:
    """Values of a fact as a condition; numbers that reach to an end of those tried are told as a range."""
    if isinstance(values[0], bool):
        return fact if values[0] else f"not {fact}"
    if isinstance(values[0], int) and len(values) == sum(min(values) <= n <= max(values) for n in among):
        if max(values) == max(among):
            return f"{fact} from {min(values)}"
        if min(values) == min(among):
            return f"{fact} to {max(values)}"
    words = " or ".join(map(str, values))
    return words if fact in ("visibility", "storage") else f"{fact} {words}"
