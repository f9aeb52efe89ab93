"""A result that leaves before its call becomes a stub.

## What it finds

Rules of toolCall and toolResult, both written, by which the result is dropped while its call stays.

## Why it matters

It is legal: every later request holds a one-line stub in place of the result, because a provider refuses a
call without one. Each stub breaks the prefix once.

## Example

    life_cycle:
      toolCall: [born, null]
      toolResult: [born, born+5]

## Instead

    life_cycle:
      toolCall: [born, born+5]
      toolResult: [born, born+5]

## Fix

Nothing, if stubs are meant. Else give both the same end, or use `of: chain`.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...grammar.bounds import show_bound
from ..check import Check, Context
from ..diagnostics import Diagnostic, Witness
from ..facts.lifetimes import ends_first

CHECK = Check("DCC802", "result-leaves-first", "info", kind="provider")


def run(context: Context) -> Iterator[Diagnostic]:
    entries = context.ruleset.life_cycle
    call, result = entries.get("toolCall"), entries.get("toolResult")
    if call is None or result is None or result.retire != "drop" or call.of is not None or result.of is not None:
        return
    if ends_first(result.end, call.end):
        yield from context.report(
            CHECK,
            ("life_cycle", "toolResult", "end"),
            f"a tool result ends at {show_bound(result.end)}, before its call: from then on it is a stub",
            help="give both the same end if the call shall go too",
            related=(("the rule of the call is here", ("life_cycle", "toolCall")),),
            witness=Witness("toolResult", result.end.n + 2 if result.end.unit == "turns" else 1),
        )
