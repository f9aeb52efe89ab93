"""The kind of a slot is written as dcc writes it.

## What it finds

A kind or an element that is a slip of one that every ruleset has: `tool_result`, `toolresult`, `Summary`.

## Why it matters

A ruleset may declare elements of its own, so it is no error; but no slot would ever be of that kind.

## Example

    op shorten reversed by restore {
      "Put an address in the place of tool results."
      ids: slots  "the slots"
      refuse only_results when any(target.kind != tool_result) "{ids}: no tool result"
      effect represent ref
    }

## Instead

    op shorten reversed by restore {
      "Put an address in the place of tool results."
      ids: slots  "the slots"
      refuse only_results when any(target.kind != toolResult) "{ids}: no tool result"
      effect represent ref
    }

## Fix

Write system, user, assistant, think, toolCall, toolResult, recall, summary, goal, constraint or task_state, or an
element that a ruleset declares.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...check import Check
from ...diagnostics import Diagnostic
from ...problem import quote

if TYPE_CHECKING:
    from ....grammar.ops_syntax import Node, OpSyntax
    from ...ops.check import OpsContext

CHECK = Check("DCC642", "ops-kind", "warning", kind="ops")


def run(context: OpsContext) -> Iterator[Diagnostic]:
    from ...ops.cases import KINDS
    from ...ops.scope import rewrite

    known = {_fold(kind): kind for kind in KINDS}
    for compiled in context.file.ops:
        for word in _kinds(compiled.syntax):
            written = str(word.value)
            meant = known.get(_fold(written))
            if meant is not None and meant != written:
                message = f"{quote(written)} is no kind that dcc makes"
                help = f"did you mean {quote(meant)}?"
                yield context.at(CHECK, word.span, message, help, rewrite(word.span, meant))


def _kinds(op: OpSyntax) -> Iterator[Node]:
    """The words that a kind or an element is compared with."""
    conditions = (*(refusal.when for refusal in op.refusals), *(effect.when for effect in op.effects if effect.when))
    for condition in conditions:
        for node in condition.walk():
            if len(node.parts) == 2 and node.parts[0].kind == "fact" and node.parts[0].value in ("kind", "element"):
                right = node.parts[1]
                yield from (word for word in (right.parts or (right,)) if word.kind in ("name", "text"))


def _fold(word: str) -> str:
    return word.lower().replace("_", "").replace("-", "")
