"""Match fields are fields of a tool call.

## What it finds

An unknown field under `match`, or a value that the field cannot have: `is_error` is a boolean, `tokens` is
`">=n"`, `tool` is text.

## Why it matters

A field that does not exist never matches, so the refinement would never be taken.

## Example

    life_cycle:
      read: {of: toolResult, match: {name: read}}

## Instead

    life_cycle:
      read: {of: toolResult, match: {tool: read}}

## Fix

Use tool, is_error, tokens or args.<path>.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from ..check import Check, Context
from ..diagnostics import Diagnostic
from ..match import MatchError, match_field

CHECK = Check("DCC210", "bad-match", "error")


def run(context: Context) -> Iterator[Diagnostic]:
    for name, entry in context.ruleset.life_cycle.items():
        for field, values in entry.match.items():
            try:
                match_field(field, values)
            except MatchError as error:
                if error.check == CHECK.name:
                    path = ("life_cycle", name, "match", field)
                    unknown = error.message.startswith("unknown")
                    on: Literal["key", "value"] = "key" if unknown else "value"
                    yield from context.report(CHECK, path, error.message, help=error.help or "", on=on)
