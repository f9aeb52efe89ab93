"""Types, guards and effects are words of a closed list.

## What it finds

A type, a guard, an effect or the way of an effect that there is not; a value that is none of the words of an
argument; a `word` without its list.

## Why it matters

Nothing in a `.ops` file is carried out as a program: the runtime knows these words and no others.

## Example

    op note reversed by set_visibility {
      "Archive slots."
      ids: slots  "the slots"
      effect hold archieved
    }

## Instead

    op note reversed by set_visibility {
      "Archive slots."
      ids: slots  "the slots"
      effect hold archived
    }

## Fix

Types: slots, slot, text, texts, word(a|b), count, flag. Guards: gain, preserve, budget, consecutive. Effects: hold
archived|hidden, lift, represent full|ref|stub, bear, replace, purge.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...check import Check, Subject
from ...diagnostics import Diagnostic

CHECK = Check("DCC632", "ops-word", "error", kind="ops")


def run(context: Subject) -> Iterator[Diagnostic]:
    yield from context.found(CHECK)
