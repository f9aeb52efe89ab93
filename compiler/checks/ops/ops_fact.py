"""What is asked of a target is a fact, and can have the value.

## What it finds

`target.x` where x is no fact, or a value that the fact never has.

## Why it matters

The refusal would never hold, or always.

## Example

    op note reversed by set_visibility {
      "Archive slots."
      ids: slots  "the slots"
      refuse not_here when any(target.visibility == achived) "{ids}: not in view"
      effect hold archived
    }

## Instead

    op note reversed by set_visibility {
      "Archive slots."
      ids: slots  "the slots"
      refuse not_here when any(target.visibility == archived) "{ids}: not in view"
      effect hold archived
    }

## Fix

Facts: kind, element, visibility (model, archived, hidden, retired), storage (inline, offloaded), protected,
current_question, state, unread, open_chain, calls_tools, is_error, json_object, lost, tokens.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...check import Check, Subject
from ...diagnostics import Diagnostic

CHECK = Check("DCC633", "ops-fact", "error", kind="ops")


def run(context: Subject) -> Iterator[Diagnostic]:
    yield from context.found(CHECK)
