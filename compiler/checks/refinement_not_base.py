"""Other sections speak of the base.

## What it finds

A refinement named in compact.fields, recall.search_fields, context.required_elements or context.roles.

## Why it matters

A slot keeps the element that it refines; by its refinement it would never be found there.

## Example

    life_cycle:
      read: {of: toolResult, match: {tool: read}, end: born+2}
    compact: {fields: [user, read], compressors: {summary: {prompt: "{content}"}}}

## Instead

    compact: {fields: [user, toolResult], compressors: {summary: {prompt: "{content}"}}}

## Fix

Name the base: toolResult or toolCall.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from ..check import Check, Context
from ..diagnostics import Diagnostic
from ..problem import KeyPath, quote, respell

CHECK = Check("DCC218", "refinement-not-base", "error")


def run(context: Context) -> Iterator[Diagnostic]:
    ruleset = context.ruleset
    named: list[tuple[KeyPath, str]] = [(("context", "roles", name), name) for name in ruleset.context.roles]
    required = enumerate(ruleset.context.required_elements)
    named += [(("context", "required_elements", index), name) for index, name in required]
    if ruleset.compact is not None:
        named += [(("compact", "fields", index), name) for index, name in enumerate(ruleset.compact.fields)]
    if ruleset.recall is not None:
        fields = enumerate(ruleset.recall.search_fields)
        named += [(("recall", "search_fields", index), name) for index, name in fields]
    for path, name in named:
        entry = ruleset.life_cycle.get(name)
        if entry is not None and entry.of is not None:
            base = "toolResult" if entry.of == "chain" else entry.of
            on: Literal["key", "value"] = "key" if path[1] == "roles" else "value"
            yield from context.report(
                CHECK,
                path,
                f"{quote(name)} is a refinement of {quote(entry.of)}, expected an element",
                help=f"name its base, {quote(base)}",
                on=on,
                mends=(respell(path, base, on),),
            )
