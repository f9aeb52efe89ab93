"""An operation is allowed in some case.

## What it finds

An operation of whose refusals one holds whatever the arguments and the targets are.

## Why it matters

The model would be offered what it is always refused.

## Example

    op note reversed by set_visibility {
      "Archive slots."
      ids: slots  "the slots"
      refuse hidden_target when any(target.visibility == hidden) "{ids}: hidden"
      refuse not_hidden when any(target.visibility != hidden) "{ids}: not hidden"
      effect hold archived
    }

## Instead

    op note reversed by set_visibility {
      "Archive slots."
      ids: slots  "the slots"
      refuse hidden_target when any(target.visibility == hidden) "{ids}: hidden"
      effect hold archived
    }

## Fix

A refusal says when the operation is *not* allowed. `dcc ops FILE --format table` shows what is decided in each case.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...check import Check
from ...diagnostics import Diagnostic
from ...problem import quote

if TYPE_CHECKING:
    from ...ops.check import OpsContext

CHECK = Check("DCC640", "ops-never-allowed", "warning", kind="ops")


def run(context: OpsContext) -> Iterator[Diagnostic]:
    from ...ops.analysis import Effort, never_allowed

    effort = Effort()
    for compiled in context.sound:
        if never_allowed(compiled.op, effort):
            codes = ", ".join(dict.fromkeys(refusal.code for refusal in compiled.op.refusals))
            message = f"{quote(compiled.op.name)} is refused in every case, by {codes}"
            yield context.at(CHECK, compiled.syntax.name.span, message, "a refusal says when it is not allowed")
