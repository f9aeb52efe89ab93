"""The element that ends a rule exists.

## What it finds

`until_end(x)` where x is not declared: not in life_cycle, roles or the shipped elements, or a refinement.

## Why it matters

An element without slots never ends, so the rule would never end either.

## Example

    life_cycle:
      draft: [born, until_end(gaol)]

## Instead

    life_cycle:
      draft: [born, until_end(goal)]

## Fix

Use the name of a declared element, or declare it.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..check import Check, Context
from ..diagnostics import Diagnostic, Witness
from ..lower import declared_elements
from ..problem import nearest, quote, respell, sure

CHECK = Check("DCC206", "unknown-governor", "error", kind="time")


def run(context: Context) -> Iterator[Diagnostic]:
    declared = declared_elements(context.ruleset)
    for name, entry in context.ruleset.life_cycle.items():
        governor = entry.end.element
        if governor is None or governor in declared:
            continue
        near, meant = nearest(governor, declared), sure(governor, declared)
        yield from context.report(
            CHECK,
            ("life_cycle", name, "end"),
            f"{quote(name)} ends with {quote(governor)}, which is no declared element",
            help=f"did you mean {quote(near)}?" if near else f"declare {quote(governor)} in life_cycle",
            mends=(respell(("life_cycle", name, "end"), f"until_end({meant})"),) if meant else (),
            witness=Witness(name, 9),
        )
