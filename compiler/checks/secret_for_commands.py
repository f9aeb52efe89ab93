"""Commands get no secret.

## What it finds

A name in `tools.exec.env` that says that the variable holds a secret: a key, a token, a password.

## Why it matters

A model writes the commands, and what a command prints goes to the model. Such a variable is never handed on, so a
command that counts on it fails.

## Example

    tools: {exec: {env: [GITHUB_TOKEN]}}

## Instead

    tools: {exec: {env: [CI]}}

## Fix

Take the name out. A program that needs the secret can be an MCP server, whose `env` may name it.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..check import Check, Context
from ..diagnostics import Diagnostic
from ..problem import quote
from ..secret_names import names_a_secret

CHECK = Check("DCC717", "secret-for-commands", "error", kind="sections")


def run(context: Context) -> Iterator[Diagnostic]:
    tools = context.ruleset.tools
    if tools is None or tools.exec is None:
        return
    for index, name in enumerate(tools.exec.env):
        if names_a_secret(name):
            yield from context.report(
                CHECK,
                ("tools", "exec", "env", index),
                f"{quote(name)} holds a secret by its name, and commands get none",
                help="take it out; a program that needs it can be a server of tools (tools.mcp)",
            )
