"""Elements have roles that a provider accepts.

## What it finds

The role tool for anything but toolResult, and another role than their own for user, assistant, think,
toolCall and toolResult.

## Why it matters

A tool message without a call is refused, and so is a question that no user asks. dcc sends what a provider
takes: the slot goes out with another role than the one written.

## Example

    context:
      roles: {lookup: tool}

## Instead

    context:
      roles: {lookup: user}

## Fix

Write user or system for elements of your own, and leave those of the protocol out.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...grammar.names import PROTOCOL_ELEMENTS
from ..check import Check, Context
from ..diagnostics import Diagnostic, Witness
from ..problem import KeyPath, quote
from ..program import BUILT_IN_ROLES

CHECK = Check("DCC803", "role-not-carried", "warning", kind="provider")


def run(context: Context) -> Iterator[Diagnostic]:
    ruleset = context.ruleset
    # context.roles win over those of answer.outputs.
    outputs = ((name, out) for name, out in ruleset.answer.outputs.items() if name not in ruleset.context.roles)
    written: list[tuple[KeyPath, str, str]] = [
        (("answer", "outputs", name, "role"), name, output.role) for name, output in outputs if output.role
    ]
    written += [(("context", "roles", name), name, role) for name, role in ruleset.context.roles.items()]
    for path, name, role in written:
        own = BUILT_IN_ROLES.get(name) if name in PROTOCOL_ELEMENTS else None
        if name == "user" and role in ("system", "assistant"):
            message = f"what a person types goes out with the role {quote(role)}: no request has a user message"
            help = "leave user out of the roles"
        elif own is not None and role != own:
            message = f"the role of {quote(name)} is {own} by the protocol, {quote(role)} is never used"
            help = f"leave {quote(name)} out of the roles"
        elif role == "tool" and own is None:
            message = f"{quote(name)} answers no tool call, so no provider takes it with the role tool"
            help = "write user, or system"
        else:
            continue
        yield from context.report(CHECK, path, message, help=help, witness=Witness(name, 1))
