"""Which facts a slot can have together, and which arguments an op can be given: what decisions are taken over.

Only what an expression asks about is varied. A number is tried at, below and above each number it is compared with.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice, product
from typing import Any

from .model import FACTS, Argument, Expr, Op
from .vocabulary import FACT_VALUES

#: The kinds that every ruleset has; ``goal`` stands for whatever a person patches.
KINDS = ("system", "user", "goal", "task_state", "assistant", "think", "toolCall", "toolResult", "recall", "summary")

#: A fact that has one value for a kind, whatever happens to the slot.
_ALWAYS: Mapping[str, Mapping[str, Any]] = {
    "system": {"protected": True, "storage": "inline"},
    "user": {"protected": True},
    "goal": {"protected": True},
    "task_state": {"state": True},
    "toolCall": {"calls_tools": True},
}
#: The kinds for which a yes-or-no fact can be yes; for all others it is no.
_POSSIBLE: Mapping[str, frozenset[str]] = {
    "protected": frozenset(KINDS),  # A person may patch any element at a line's start (language.md section 3).
    "current_question": frozenset({"user"}),
    "state": frozenset(),
    "unread": frozenset({"toolResult"}),
    "open_chain": frozenset({"toolCall"}),
    "calls_tools": frozenset({"assistant", "think"}),
    "is_error": frozenset({"toolResult"}),
    "json_object": frozenset({*KINDS} - {"system"}),
    "lost": frozenset({*KINDS} - {"system"}),
}
#: Where nothing is compared with it: tokens of a slot, a number as an argument.
_TOKENS, _COUNT = 1_000, 1

#: States of one kind that are looked at, at most; what people write asks of a few hundred.
MOST_STATES = 10_000

State = dict[str, Any]


def kinds_of(exprs: Iterable[Expr]) -> tuple[str, ...]:
    """The kinds to decide over: those of every ruleset, and those that the expressions name besides."""
    named = [word for word in _words(exprs, "target", "kind") if word not in KINDS]
    return (*KINDS, *dict.fromkeys(named))


def asked(exprs: Iterable[Expr]) -> tuple[str, ...]:
    """The facts that expressions ask about, in the order of ``FACTS``, the kind aside."""
    found = {e.args[0] for expr in exprs for e in walk(expr) if e.op == "target"}
    return tuple(fact for fact in FACTS if fact in found and fact != "kind")


def states(kind: str, exprs: Sequence[Expr]) -> Iterator[State]:
    """Every combination of the facts asked about that a slot of the kind can have."""
    facts = asked(exprs)
    for values in islice(product(*(_values(kind, fact, exprs) for fact in facts)), MOST_STATES):
        state = dict(zip(facts, values, strict=True))
        if _can_be(state):
            yield {"kind": kind, **state}


def choices(argument: Argument, exprs: Sequence[Expr], *, valid: bool) -> tuple[Any, ...]:
    """The values of an argument to decide over; with ``valid`` none that is missing or blank."""
    name = argument.name
    numbers = _numbers(exprs, name)
    values: tuple[Any, ...]
    match argument.type:
        case "word":
            values = argument.words
        case "flag":
            return (False, True)
        case "text":
            values = ("text", *_words(exprs, "arg", name), *(() if valid else ("",)))
        case "count":
            values = numbers or (_COUNT,)
        case "slot":
            return (("id",),)
        case "slots" | "texts":
            least = 1 if valid or argument.type == "slots" else 0
            sizes = sorted({least, 1, *(n for n in numbers if n >= least)})
            values = tuple(("text",) * size for size in sizes)
    may_miss = not valid and argument.default is None and argument.type not in ("slots", "slot")
    return (*dict.fromkeys(values), *((None,) if may_miss else ()))


def is_of_targets(expr: Expr) -> bool:
    """Whether an expression asks about the targets."""
    return any(e.op in ("any", "all") for e in walk(expr))


def names(exprs: Iterable[Expr], argument: str) -> bool:
    """Whether expressions ask about an argument."""
    asking = ("arg", "missing", "blank", "count")
    return any(e.op in asking and e.args[0] == argument for expr in exprs for e in walk(expr))


def conditions(op: Op) -> list[Expr]:
    """What an op asks before anything happens."""
    return [refusal.when for refusal in op.refusals]


def walk(expr: Expr) -> Iterator[Expr]:
    """An expression and all under it."""
    yield expr
    for part in expr.args:
        if isinstance(part, Expr):
            yield from walk(part)


def _values(kind: str, fact: str, exprs: Sequence[Expr]) -> tuple[Any, ...]:
    always = _ALWAYS.get(kind, {})
    if fact in always:
        return (always[fact],)
    if fact in FACT_VALUES:
        return FACT_VALUES[fact]
    if fact == "element":
        return tuple(dict.fromkeys((kind, *_words(exprs, "target", "element"))))
    if FACTS[fact] is bool:
        known = kind in KINDS
        return (False, True) if kind in _POSSIBLE[fact] or (not known and fact == "protected") else (False,)
    return tuple(n for n in _numbers(exprs, fact, "target") if n > 0) or (_TOKENS,)


def _can_be(state: State) -> bool:
    """What no slot is at once: unread and off stage, or typed by a person; lost and still a JSON object."""
    if state.get("unread") and (state.get("visibility", "model") != "model" or state.get("protected")):
        return False
    return not (state.get("lost") and state.get("json_object"))


def _compared(exprs: Iterable[Expr]) -> Iterator[tuple[Expr, Expr]]:
    for expr in exprs:
        for e in walk(expr):
            if e.op in ("==", "!=", "<", "<=", ">", ">=", "in"):
                yield e.args[0], e.args[1]


def _constants(exprs: Iterable[Expr], ops: tuple[str, ...], name: str) -> Iterator[Any]:
    for left, right in _compared(exprs):
        if left.op in ops and left.args[0] == name and right.op in ("value", "list"):
            yield from right.args


def _words(exprs: Iterable[Expr], op: str, name: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(c for c in _constants(exprs, (op,), name) if isinstance(c, str)))


def _numbers(exprs: Iterable[Expr], name: str, *ops: str) -> tuple[int, ...]:
    constants = _constants(exprs, ops or ("arg", "count"), name)
    near = {n + step for n in constants if isinstance(n, int) for step in (-1, 0, 1)}
    return tuple(sorted(n for n in near if n >= 0))
