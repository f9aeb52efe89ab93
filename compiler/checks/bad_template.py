"""A template can be filled.

## What it finds

An unknown or positional hole in the ending template, or Jinja2 that is not allowed: unknown names, loops,
calls, arithmetic.

## Why it matters

Templates are filled in the middle of a session, with content that a person typed. They run in a sandbox and
cannot grow without bound.

## Example

    context:
      patch_end: {template: "Done: {name}"}

## Instead

    context:
      patch_end: {template: "Done: {element}"}

## Fix

Use {element} and {content}, or {{ element }} and {{ content }}.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..check import Check, Context
from ..diagnostics import Diagnostic
from ..template import TemplateError, check_template

CHECK = Check("DCC302", "bad-template", "error", kind="patches")


def run(context: Context) -> Iterator[Diagnostic]:
    patch_end = context.ruleset.context.patch_end
    if patch_end is None or not (patch_end.template or "").strip():
        return
    try:
        check_template(patch_end.template or "")
    except TemplateError as error:
        path = ("context", "patch_end", "template")
        yield from context.report(CHECK, path, error.message, help=error.help or "", within=error.span)
