"""Match fields are fields of a tool call.

## What it finds

An unknown field under `match`, or a value that the field cannot have: `is_error` is a boolean, `tokens` is
`">=n"`, `tool` is text.

## Why it matters

A field that does not exist never matches, so the refinement would never be taken.

## Example

    life_cycle:
      read: {of: toolResult, match: {name: read}, end: born+2}

## Instead

    life_cycle:
      read: {of: toolResult, match: {tool: read}, end: born+2}

## Fix

Use tool, is_error, tokens or args.<path>.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from ..check import Check, Context
from ..diagnostics import Diagnostic
from ..match import FIELDS, MatchError, is_args_path, match_field
from ..problem import At, KeyPath, Mend, respell, sure

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
                    mends = tuple(_mends(path, field, values))
                    yield from context.report(CHECK, path, error.message, help=error.help or "", on=on, mends=mends)


def _mends(path: KeyPath, field: str, values: tuple[Any, ...]) -> Iterator[Mend]:
    """The field that was meant: one that is near, else an argument of that name. A number of tokens is a least."""
    if field == "tokens":
        if len(values) == 1 and str(values[0]).isdigit():
            yield Mend(f"write >={values[0]}", False, ((At(path, quoted=False), f'">={values[0]}"'),))
    elif meant := sure(field, FIELDS[:-1]):
        yield respell(path, meant, "key")
    elif is_args_path(f"args.{field}") and field != "name":
        yield respell(path, f"args.{field}", "key")
