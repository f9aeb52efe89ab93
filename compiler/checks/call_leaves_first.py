"""A tool call stays as long as its result.

## What it finds

Rules of toolCall and toolResult, both written, by which the call ends before the result does.

## Why it matters

A provider refuses a result without its call, so a call that leaves takes its result along: the longer rule
is never carried out.

## Example

    life_cycle:
      toolCall: [born, born]
      toolResult: [born, born+5]

## Instead

    life_cycle:
      toolCall: [born, born+5]
      toolResult: [born, born+5]

## Fix

Give the call an end that is not earlier, or shorten the rule of the result.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...grammar.bounds import show_bound
from ..check import Check, Context
from ..diagnostics import Diagnostic, Witness
from ..facts.lifetimes import ends_first

CHECK = Check("DCC801", "call-leaves-first", "warning", kind="provider")


def run(context: Context) -> Iterator[Diagnostic]:
    entries = context.ruleset.life_cycle
    call, result = entries.get("toolCall"), entries.get("toolResult")
    if call is None or result is None or call.retire != "drop" or call.of is not None or result.of is not None:
        return
    if call.start.n == 0 and not call.keep_last and not call.min_tokens and ends_first(call.end, result.end):
        yield from context.report(
            CHECK,
            ("life_cycle", "toolCall", "end"),
            f"a tool call ends at {show_bound(call.end)} and takes its result along, which would stay to "
            f"{show_bound(result.end)}",
            help=f"end the call at {show_bound(result.end)} too, or the result at {show_bound(call.end)}",
            related=(("the rule of the result is here", ("life_cycle", "toolResult")),),
            witness=Witness("toolResult", call.end.n + 2 if call.end.unit == "turns" else 1),
        )
