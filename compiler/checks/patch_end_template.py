"""Endings have a text.

## What it finds

`context.patch_end` that is on without a template, or with a blank one; `patch_end: true`.

## Why it matters

An ending tells the model that an element is over; without a text there is nothing to tell.

## Example

    context:
      patch_end: {enabled: true}

## Instead

    context:
      patch_end: {enabled: true, template: "Done: {element}. {content}"}

## Fix

Write a template, or `enabled: false`.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..check import Check, Context
from ..diagnostics import Diagnostic

CHECK = Check("DCC301", "patch-end-template", "error", kind="patches")


def run(context: Context) -> Iterator[Diagnostic]:
    yield from context.found(CHECK)
    patch_end = context.ruleset.context.patch_end
    if patch_end is None or not patch_end.enabled or (patch_end.template or "").strip():
        return
    path = ("context", "patch_end") if patch_end.template is None else ("context", "patch_end", "template")
    yield from context.report(
        CHECK,
        path,
        "patch_end is on, and its template is missing or blank",
        help='write template: "Done: {element}. {content}", or enabled: false',
    )
