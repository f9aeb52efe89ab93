"""Every key is known.

## What it finds

A key that has no meaning where it stands. Sections of the host (chat, answer, input_data, dataset, runtime,
provider, rolling_front_params) may hold any key.

## Why it matters

A misspelt key is a rule that never works, and nobody is told.

## Example

    context:
      required_element: [user]

## Instead

    context:
      required_elements: [user]

## Fix

Use the key that the message proposes.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..check import Check, Context
from ..diagnostics import Diagnostic

CHECK = Check("DCC101", "unknown-key", "error")


def run(context: Context) -> Iterator[Diagnostic]:
    yield from context.found(CHECK)
