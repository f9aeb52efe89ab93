"""A key is an argument or an address.

## What it finds

A `key` that is neither `args.<path>` nor `address`.

## Why it matters

Slots with the same key belong together; dcc must know where the key is read from.

## Example

    life_cycle:
      read: {of: toolResult, match: {tool: read}, key: path, end: born+2}

## Instead

    life_cycle:
      read: {of: toolResult, match: {tool: read}, key: args.path, end: born+2}

## Fix

Write args. before the name of the argument.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..check import Check, Context
from ..diagnostics import Diagnostic
from ..match import is_args_path
from ..problem import quote, respell

CHECK = Check("DCC212", "bad-key", "error")


def run(context: Context) -> Iterator[Diagnostic]:
    for name, entry in context.ruleset.life_cycle.items():
        key = entry.key
        if key is None or key == "address" or is_args_path(key):
            continue
        guess, path = f"args.{key}", ("life_cycle", name, "key")
        yield from context.report(
            CHECK,
            path,
            f"{quote(key)} is no key, expected args.<path> or address",
            help=f"did you mean {quote(guess)}?" if is_args_path(guess) else "write for example args.path",
            mends=(respell(path, guess),) if is_args_path(guess) else (),
        )
