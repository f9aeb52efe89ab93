"""Every value is one that its key can have.

## What it finds

A name that is not in the list of its key, a number out of range, a path out of its folder.

## Why it matters

Without this check the error would show only when the rule is first used, in the middle of a session.

## Example

    compact:
      fields: [user]
      compressors:
        summary: {prompt: "{content}", retention: newest}

## Instead

    compact:
      fields: [user]
      compressors:
        summary: {prompt: "{content}", retention: latest_only}

## Fix

Use one of the values that the message names.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..check import Check, Context
from ..diagnostics import Diagnostic

CHECK = Check("DCC103", "wrong-value", "error")


def run(context: Context) -> Iterator[Diagnostic]:
    yield from context.found(CHECK)
