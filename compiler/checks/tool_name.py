"""A tool's name is spelt as the tool spells it.

## What it finds

A name in a tool policy that is no tool that ships, and differs from one by a letter or two.

## Why it matters

It matches nothing. A name that is far from all others is taken for a tool of the host or of a plugin, and
is no finding.

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
from ..problem import quote, respell
from ..tools import TOOLS, named_tools, normal_name

CHECK = Check("DCC705", "tool-name", "warning", kind="sections", since="0.2.0")


#: How alike two names are that differ by a slip of the pen (2 * common letters / all letters).
_ALIKE = 0.85


def run(context: Context) -> Iterator[Diagnostic]:
    for path, name in named_tools(context.ruleset):
        plain = normal_name(name)
        if plain in TOOLS or "*" in plain or plain.startswith("group:"):
            continue
        near = get_close_matches(plain, TOOLS, n=1, cutoff=_ALIKE)
        if near:
            message = f"no tool that ships is called {quote(name)}"
            mends = (respell(path, near[0]),)
            yield from context.report(CHECK, path, message, help=f"did you mean {quote(near[0])}?", mends=mends)
