"""A ruleset is a UTF-8 text.

## What it finds

A file in UTF-16 or another encoding, or a binary file.

## Why it matters

Read in the wrong encoding, names of elements would silently become other names.

## Example

    a file that starts with the bytes FF FE

## Instead

    the same text, saved as UTF-8

## Fix

Save the file as UTF-8; a byte order mark does no harm.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..check import Check, Context
from ..diagnostics import Diagnostic

CHECK = Check("DCC001", "not-utf8", "error")


def run(context: Context) -> Iterator[Diagnostic]:
    yield from context.found(CHECK)
