"""A file holds no control characters.

## What it finds

A NUL or another character that YAML does not allow in a file, in a file of operations too.

## Why it matters

Such a character is invisible in an editor and mostly a sign of a damaged file.

## Example

    name: "a<NUL>b"

## Instead

    name: "a\\0b"

## Fix

Remove the character, or write it as an escape in double quotes.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..check import Check, Context
from ..diagnostics import Diagnostic

CHECK = Check("DCC002", "control-character", "error")


def run(context: Context) -> Iterator[Diagnostic]:
    yield from context.found(CHECK)
