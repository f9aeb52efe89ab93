"""A tool's name is spelt as the tool spells it.

## What it finds

A name in a tool policy that is no tool that ships, and differs from one by a letter or two.

## Why it matters

It matches nothing: what was to be denied is allowed, what was to be allowed is missing.

## Example

    tools: {allow: [read, web_serach]}

## Instead

    tools: {allow: [read, web_search]}

## Fix

Use the name that the message proposes.
"""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches

from ..check import Check, Context
from ..diagnostics import Diagnostic
from ..policy.entries import kind_of
from ..policy.names import CATALOGUE, normal_name
from ..policy.written import named_tools
from ..problem import KeyPath, quote, respell

CHECK = Check("DCC705", "tool-name", "warning", kind="sections")


_NAMES = sorted(CATALOGUE)

#: How alike two names are that differ by a slip of the pen (2 * common letters / all letters).
_ALIKE = 0.85


def run(context: Context) -> Iterator[Diagnostic]:
    for path, name, near in _slips(context):
        message = f"no tool that ships is called {quote(name)}"
        yield from context.report(
            CHECK, path, message, help=f"did you mean {quote(near)}?", mends=(respell(path, near),)
        )


def places(context: Context) -> set[KeyPath]:
    """The names that are found here."""
    return {path for path, _, _ in _slips(context)}


def _slips(context: Context) -> Iterator[tuple[KeyPath, str, str]]:
    for path, name in named_tools(context.ruleset):
        plain = normal_name(name)
        if "*" in plain or plain.startswith("group:") or kind_of(plain, context.policy.present) != "unknown":
            continue
        if near := get_close_matches(plain, _NAMES, n=1, cutoff=_ALIKE):
            yield path, name, near[0]
