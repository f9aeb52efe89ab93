"""Pruning that is on can happen.

## What it finds

Mode cache-ttl with a ttl of zero; no result that may be pruned, because `tools.deny` holds `*`.

## Why it matters

A ttl of zero means that the cache never goes cold, so nothing is ever pruned.

## Example

    pruning: {mode: cache-ttl, ttl: 0m}

## Instead

    pruning: {mode: cache-ttl, ttl: 5m}

## Fix

Write how long the provider keeps a cache, such as 5m or 1h, or `mode: off`.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..check import Check, Context
from ..diagnostics import Diagnostic
from ..problem import KeyPath

CHECK = Check("DCC611", "pruning-never", "warning", kind="sections")


def run(context: Context) -> Iterator[Diagnostic]:
    pruning = context.ruleset.pruning
    if pruning is None or pruning.mode == "off":
        return
    found: list[tuple[KeyPath, str]] = []
    if not any(digit in pruning.ttl for digit in "123456789"):
        found.append((("pruning", "ttl"), f"a ttl of {pruning.ttl} never passes"))
    if "*" in pruning.tools.deny:
        index = pruning.tools.deny.index("*")
        found.append((("pruning", "tools", "deny", index), "the results of all tools are spared"))
    for path, why in found:
        message = f"pruning is on and prunes nothing: {why}"
        yield from context.report(CHECK, path, message, help="mend it, or write mode: off")
