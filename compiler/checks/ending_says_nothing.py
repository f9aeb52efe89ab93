"""An ending says what is over.

## What it finds

A template with neither `{element}` nor `{content}`.

## Why it matters

All endings then read the same: a model cannot tell a goal that is over from a constraint.

## Example

    context:
      patch_end: {template: "That is over."}

## Instead

    context:
      patch_end: {template: "{element} is over: {content}"}

## Fix

Name the element, the content, or both.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..check import Check, Context
from ..diagnostics import Diagnostic
from ..template import NAMES

CHECK = Check("DCC303", "ending-says-nothing", "warning", kind="patches")


def run(context: Context) -> Iterator[Diagnostic]:
    patch_end = context.ruleset.context.patch_end
    template = (patch_end.template or "") if patch_end is not None and patch_end.enabled else ""
    if template.strip() and not any(name in template for name in NAMES) and "{" not in template:
        yield from context.report(
            CHECK,
            ("context", "patch_end", "template"),
            "the template has neither {element} nor {content}: every ending says the same",
            help='write for example template: "{element} is over: {content}"',
        )
