"""Lists of elements name elements that there are.

## What it finds

A name in compact.fields, recall.search_fields or context.required_elements that is neither in life_cycle or
roles nor shipped.

## Why it matters

No slot of it is born, so folding, searching or asking for it does nothing; mostly it is a slip of the pen.

## Example

    compact:
      fields: [user, asistant]
      compressors: {summary: {prompt: "{content}"}}

## Instead

    compact:
      fields: [user, assistant]
      compressors: {summary: {prompt: "{content}"}}

## Fix

Use the name of a declared element, or declare it in life_cycle.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..check import Check, Context
from ..diagnostics import Diagnostic
from ..lower import declared_elements
from ..problem import KeyPath, nearest, quote, respell, sure

CHECK = Check("DCC220", "undeclared-element", "warning", kind="form")


def run(context: Context) -> Iterator[Diagnostic]:
    ruleset = context.ruleset
    known = declared_elements(ruleset) | set(ruleset.life_cycle)
    for path, name in _named(context):
        if name not in known:
            near, meant = nearest(name, known), sure(name, known)
            yield from context.report(
                CHECK,
                path,
                f"{quote(name)} in {path[0]}.{path[1]} is no declared element",
                help=f"did you mean {quote(near)}?" if near else f"declare {quote(name)} in life_cycle",
                mends=(respell(path, meant),) if meant else (),
            )


def _named(context: Context) -> Iterator[tuple[KeyPath, str]]:
    ruleset = context.ruleset
    lists = {("context", "required_elements"): ruleset.context.required_elements}
    if ruleset.compact is not None:
        lists["compact", "fields"] = ruleset.compact.fields
    if ruleset.recall is not None:
        lists["recall", "search_fields"] = ruleset.recall.search_fields
    for path, names in lists.items():
        yield from (((*path, index), name) for index, name in enumerate(names))
