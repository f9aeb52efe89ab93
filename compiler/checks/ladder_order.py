"""Every step of the overflow ladder is reached.

## What it finds

A ladder without steps, a step that stands twice, and steps after give_up.

## Why it matters

Steps are tried from the first to the last, each as often as it says. A second entry of the same step is a
number of tries in disguise; what stands after give_up never runs.

## Example

    recovery: {overflow: [give_up, {truncate_results: 1}]}

## Instead

    recovery: {overflow: [{truncate_results: 1}, give_up]}

## Fix

Put give_up last, and write each step once.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..check import Check, Context
from ..diagnostics import Diagnostic
from ..problem import KeyPath

CHECK = Check("DCC603", "ladder-order", "warning", kind="sections")


def run(context: Context) -> Iterator[Diagnostic]:
    recovery = context.ruleset.recovery
    if recovery is None or "overflow" not in recovery.model_fields_set:
        return
    path: KeyPath = ("recovery", "overflow")
    if not recovery.overflow:
        help = "write for example [{compact: 3}, {truncate_results: 1}, give_up]"
        yield from context.report(CHECK, path, "the overflow ladder has no step", help=help)
    seen: list[str] = []
    for index, step in enumerate(recovery.overflow):
        if "give_up" in seen:
            message, help = f"{step.do} stands after give_up and is never tried", "put give_up last"
            yield from context.report(CHECK, (*path, index), message, help=help)
        elif step.do in seen:
            message, help = f"{step.do} stands twice in the ladder", f"write it once, such as {{{step.do}: 3}}"
            yield from context.report(CHECK, (*path, index), message, help=help)
        seen.append(step.do)
