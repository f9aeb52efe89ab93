"""A provider has a model.

## What it finds

A provider that asks a server, and names no model.

## Why it matters

`dcc run` and `dcc chat` then need `--model` every time, and refuse to begin without it.

## Example

    provider: {type: anthropic}

## Instead

    provider: {type: anthropic, model: large-1}

## Fix

Write the model's name, as its server spells it.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..check import Check, Context
from ..diagnostics import Diagnostic
from ..providers import TYPES

CHECK = Check("DCC722", "provider-model", "warning", kind="sections")


def run(context: Context) -> Iterator[Diagnostic]:
    section = context.ruleset.provider
    if section is None or section.model or TYPES.get(section.type or "echo", "echo") == "echo":
        return
    yield from context.report(
        CHECK,
        ("provider", "type"),
        f"no model is named for the provider {section.type}",
        help="write provider.model, or pass --model to dcc run and dcc chat",
    )
