"""A tool profile exists.

## What it finds

A `profile` that is none of coding, full, messaging and minimal; names are compared exactly.

## Why it matters

An unknown profile allows no tool. With `compat: openclaw` it is no policy at all: instead of a few tools the
model gets every one, and this is a warning.

## Example

    tools: {profile: Minimal}

## Instead

    tools: {profile: minimal}

## Fix

Write one of the four names.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ..check import Check, Context
from ..diagnostics import Diagnostic
from ..policy.profiles import PROFILES
from ..policy.written import policy_blocks
from ..problem import nearest, one_of, quote, respell, sure

CHECK = Check("DCC702", "unknown-profile", "error", kind="sections")


def run(context: Context) -> Iterator[Diagnostic]:
    compat = context.ruleset.compat is not None
    check = replace(CHECK, severity="warning") if compat else CHECK
    effect = "all tools are allowed" if compat else "it allows no tool"
    for path, block in policy_blocks(context.ruleset):
        if block.profile is None or block.profile in PROFILES:
            continue
        near, meant = nearest(block.profile, PROFILES), sure(block.profile, PROFILES)
        yield from context.report(
            check,
            (*path, "profile"),
            f"there is no tool profile {quote(block.profile)}: {effect}",
            help=f"did you mean {quote(near)}?" if near else f"write {one_of(PROFILES)}",
            mends=(respell((*path, "profile"), meant),) if meant else (),
        )
