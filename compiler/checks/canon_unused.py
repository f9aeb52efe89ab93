"""Every setting of canon is used.

## What it finds

`standout` without retrieval; `resurface: true` written beside `surface: false`.

## Why it matters

standout measures what retrieval finds, and only what surfaces can surface again.

## Example

    canon: {retrieval: none, standout: 2.0}

## Instead

    canon: {retrieval: lexical, standout: 2.0}

## Fix

Switch on what the setting belongs to, or leave it out.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..check import Check, Context
from ..diagnostics import Diagnostic
from ..ir.canon import CanonSection

CHECK = Check("DCC711", "canon-unused", "warning", kind="sections")


def run(context: Context) -> Iterator[Diagnostic]:
    canon = context.ruleset.canon
    if canon is None:
        return
    usual = CanonSection.model_fields["standout"].default
    if canon.retrieval == "none" and canon.standout != usual:
        message, help = "standout is never used: retrieval is none", "write retrieval: lexical, or leave it out"
        yield from context.report(CHECK, ("canon", "standout"), message, help=help, on="key")
    if not canon.surface and canon.resurface and "resurface" in canon.model_fields_set:
        message = "resurface is never used: nothing surfaces"
        yield from context.report(
            CHECK, ("canon", "resurface"), message, help="write surface: true, or leave it out", on="key"
        )
