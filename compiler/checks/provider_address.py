"""The address of a provider is that of a server.

## What it finds

A `provider.base_url` that does not begin with http:// or https://, names no host, or holds a query, a user name or a
password.

## Why it matters

No request can be sent to it, so every prompt ends with an error.

## Example

    provider: {type: openai, model: small-1, base_url: "localhost:8080"}

## Instead

    provider: {type: openai, model: small-1, base_url: "http://localhost:8080/v1"}

## Fix

Write the whole address, up to the part that its protocol adds, and name the key in `key_env` or `key_file`.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..check import Check, Context
from ..diagnostics import Diagnostic
from ..providers import TYPES, fault_of_base

CHECK = Check("DCC723", "provider-address", "error", kind="sections")


def run(context: Context) -> Iterator[Diagnostic]:
    section = context.ruleset.provider
    # Of another type the address is not used.
    if section is None or not section.base_url or TYPES.get(section.type or "echo", "echo") == "echo":
        return
    if (fault := fault_of_base(section.base_url)) is not None:
        yield from context.report(CHECK, ("provider", "base_url"), fault.message, help=fault.help)
