"""An operation that takes tool results off stage may take their calls too.

## What it finds

An operation with an effect `hold` whose refusals let tool results pass and no tool call, or calls and no results.

## Why it matters

A call and its result leave together (`chain_atomicity`): named alone each is refused by the runtime, named together by
the operation, so it could never be used on them.

## Example

    op put_away reversed by set_visibility {
      "Archive tool results."
      ids: slots  "the results"
      refuse only_results when any(target.kind != toolResult) "{ids}: no tool result"
      effect hold archived
    }

## Instead

    op put_away reversed by set_visibility {
      "Archive tool results with their calls."
      ids: slots  "the results and their calls"
      refuse only_chains when any(not target.kind in [toolCall, toolResult]) "{ids}: no tool call and no result"
      effect hold archived
    }

## Fix

Let both kinds pass; or leave the result where it is and make it smaller: `effect represent ref`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...check import Check
from ...diagnostics import Diagnostic
from ...problem import quote

if TYPE_CHECKING:
    from ...ops.check import OpsContext

CHECK = Check("DCC648", "ops-half-a-chain", "warning", kind="ops")

_CHAIN = {"toolCall": "tool calls", "toolResult": "tool results"}


def run(context: OpsContext) -> Iterator[Diagnostic]:
    from ...ops.analysis import Effort, takes

    effort = Effort()
    for compiled in context.sound:
        made = next((effect for effect in compiled.syntax.effects if effect.kind.text == "hold"), None)
        if made is not None:
            allowed = {kind: takes(compiled.op, kind, effort) for kind in _CHAIN}
            for kind, other in (tuple(_CHAIN), tuple(reversed(_CHAIN))):
                if allowed[kind] and allowed[other] is False:
                    message = f"{quote(compiled.op.name)} takes {_CHAIN[kind]} off stage and refuses {_CHAIN[other]}"
                    help = f"a call and its result leave together: let {other} pass too, or `effect represent ref`"
                    yield context.at(CHECK, made.kind.span, message, help)
