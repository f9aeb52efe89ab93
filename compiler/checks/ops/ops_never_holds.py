"""A condition of an operation can hold.

## What it finds

A refusal or an effect whose `when` is false for all arguments and all states that targets can have.

## Why it matters

The refusal would protect nothing, the effect would never come.

## Example

    op note reversed by set_visibility {
      "Archive slots."
      ids: slots  "the slots"
      refuse unread_state when any(target.kind == task_state and target.unread) "{ids}: not read yet"
      effect hold archived
    }

## Instead

    op note reversed by set_visibility {
      "Archive slots."
      ids: slots  "the slots"
      refuse unread_result when any(target.kind == toolResult and target.unread) "{ids}: not read yet"
      effect hold archived
    }

## Fix

Ask for what can be: only tool results are unread or errors, only tool calls are open chains, and only what a person
typed can be the current question.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...check import Check
from ...diagnostics import Diagnostic
from ...problem import quote

if TYPE_CHECKING:
    from ...ops.check import OpsContext

CHECK = Check("DCC641", "ops-never-holds", "warning", kind="ops")


def run(context: OpsContext) -> Iterator[Diagnostic]:
    from ...ops.analysis import Effort, never_holds

    effort = Effort()
    for compiled in context.sound:
        op, syntax = compiled.op, compiled.syntax
        for refusal, written in zip(op.refusals, syntax.refusals, strict=True):
            if never_holds(op, refusal.when, effort):
                message = f"the refusal {quote(refusal.code)} of {quote(op.name)} never holds"
                yield context.at(CHECK, written.when.span, message, "remove it, or ask for what can be")
        for effect, made in zip(op.effects, syntax.effects, strict=True):
            if effect.when is not None and made.when is not None and never_holds(op, effect.when, effort):
                message = f"the effect {quote(effect.kind)} of {quote(op.name)} never comes: its condition never holds"
                yield context.at(CHECK, made.when.span, message, "remove it, or ask for what can be")
