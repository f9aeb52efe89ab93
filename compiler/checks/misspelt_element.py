"""An element that is nearly a built-in one is that one.

## What it finds

An element in life_cycle, or of a patch in context.patches, whose name differs from that of a built-in one by case, `_`
or `-`, by one letter, or in a long name by two, and which nothing else in the ruleset names.

## Why it matters

No slot of it is born, so its rule holds for nothing, and the built-in element keeps the rule that it has.

## Example

    life_cycle:
      tool_result: {end: born+4 calls}

## Instead

    life_cycle:
      toolResult: {end: born+4 calls}

## Fix

Write the name of the built-in element. An element that is meant to be another one is better called by another name.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ..check import Check, Context
from ..diagnostics import Diagnostic
from ..lower import SHIPPED_RULES, roles_of
from ..problem import KeyPath, quote, respell

CHECK = Check("DCC225", "misspelt-element", "info")

#: Letters from which a name may differ in two of them and still be a slip.
LONG: Final = 8


def run(context: Context) -> Iterator[Diagnostic]:
    used = _used(context)
    for path, name in _named(context):
        meant = None if name in used or name in SHIPPED_RULES else _meant(name)
        if meant is None:
            continue
        on_key = path[0] == "life_cycle"
        taken = on_key and context.chain.owner(path).holds(("life_cycle", meant))
        yield from context.report(
            CHECK,
            path,
            f"{quote(name)} is an element of its own: no slot of the built-in {quote(meant)} follows it",
            help=f"did you mean {quote(meant)}? An element of your own is better called otherwise",
            on="key" if on_key else "value",
            mends=() if taken else (respell(path, meant, "key" if on_key else "value"),),
        )


def _named(context: Context) -> Iterator[tuple[KeyPath, str]]:
    """The elements of life_cycle and of stored patches; refinements have names of their own."""
    ruleset = context.ruleset
    yield from ((("life_cycle", name), name) for name, entry in ruleset.life_cycle.items() if entry.of is None)
    for key, patch in ruleset.context.patches.items():
        if patch.element is not None and patch.element not in ruleset.life_cycle:
            yield ("context", "patches", key, "element"), patch.element


def _used(context: Context) -> frozenset[str]:
    """The elements that something beside their own rule names: whoever does means them."""
    ruleset = context.ruleset
    names = {*roles_of(ruleset), *ruleset.answer.outputs, *ruleset.context.required_elements}
    names |= {bound.element for e in ruleset.life_cycle.values() for bound in (e.start, e.end) if bound.element}
    names |= set(ruleset.compact.fields) if ruleset.compact is not None else set()
    names |= set(ruleset.recall.search_fields) if ruleset.recall is not None else set()
    return frozenset(names)


def _meant(name: str) -> str | None:
    """The built-in element that a name is a slip of."""
    one = _folded(name)
    for known, other in _BUILT_IN.items():
        if _is_near(one, other, 2 if len(other) >= LONG else 1):
            return known
    return None


def _folded(name: str) -> str:
    return name.lower().replace("_", "").replace("-", "")


def _is_near(one: str, other: str, most: int) -> bool:
    """Whether two words are at most so many slips apart.

    A slip changes the length by one at most, and brings one letter at most that the other word has not: most words
    need no closer look.
    """
    return (
        abs(len(one) - len(other)) <= most
        and len(set(other) - set(one)) <= most
        and len(set(one) - set(other)) <= most
        and _distance(one, other) <= most
    )


def _distance(one: str, other: str) -> int:
    """Letters to put in, take out, change, or swap with the next, from one word to the other."""
    rows = [list(range(len(other) + 1))]
    for i, a in enumerate(one, 1):
        row = [i]
        for j, b in enumerate(other, 1):
            cost = min(rows[-1][j] + 1, row[-1] + 1, rows[-1][j - 1] + (a != b))
            if i > 1 and j > 1 and (a, b) == (other[j - 2], one[i - 2]):
                cost = min(cost, rows[-2][j - 2] + 1)
            row.append(cost)
        rows.append(row)
    return rows[-1][-1]


#: The built-in elements, and what is compared of each.
_BUILT_IN: Final = {known: _folded(known) for known in SHIPPED_RULES}
