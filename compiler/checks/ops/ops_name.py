"""Operations, gates and codes have plain names of their own.

## What it finds

A name that is not of small letters, digits and `_`; a code that the runtime itself gives, such as `unknown_id`; an
argument called `op`.

## Why it matters

The names stand in JSON, on command lines and in messages, and a code must say which refusal it was.

## Example

    op putAway reversed by set_visibility {
      "Archive slots."
      ids: slots  "the slots"
      effect hold archived
    }

## Instead

    op put_away reversed by set_visibility {
      "Archive slots."
      ids: slots  "the slots"
      effect hold archived
    }

## Fix

Write it with small letters, digits and `_`. Rejections of the runtime need no declaration: it makes them of every
operation.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...check import Check, Subject
from ...diagnostics import Diagnostic

CHECK = Check("DCC644", "ops-name", "error", kind="ops")


def run(context: Subject) -> Iterator[Diagnostic]:
    yield from context.found(CHECK)
