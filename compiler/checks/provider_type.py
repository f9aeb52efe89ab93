"""The type of a provider is a protocol that dcc speaks.

## What it finds

A `provider.type` that there is not, and a provider with a model, an address or a key, and no type.

## Why it matters

`dcc run` and `dcc chat` refuse it, unless the command line names another provider.

## Example

    provider: {type: openia, model: large-1}

## Instead

    provider: {type: openai, model: large-1}

## Fix

Write the protocol that the server speaks: openai or anthropic; echo answers offline with what it was asked.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..check import Check, Context
from ..diagnostics import Diagnostic
from ..problem import nearest, one_of, quote, respell, sure
from ..providers import TYPES, named_server

CHECK = Check("DCC721", "provider-type", "warning", kind="sections")


def run(context: Context) -> Iterator[Diagnostic]:
    section = context.ruleset.provider
    if section is None or section.type in TYPES:
        return
    if section.type is None:
        named = named_server(name for name, value in section if value is not None)
        if named is not None:
            yield from context.report(
                CHECK,
                ("provider", named),
                f"provider.{named} is written, and no provider.type",
                help="write type: openai, or type: anthropic: the protocol that the server speaks",
                on="key",
            )
        return
    near, meant = nearest(section.type, TYPES), sure(section.type, TYPES)
    yield from context.report(
        CHECK,
        ("provider", "type"),
        f"{quote(section.type)} is no provider, expected {one_of(TYPES)}",
        help=f"did you mean {quote(near)}?" if near else "a server that speaks OpenAI's protocol is openai",
        mends=(respell(("provider", "type"), meant),) if meant else (),
    )
