"""What every verb that talks with a model is told of governance on the command line (seed: the ``--cpat-`` flags)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Literal

import typer

from ..compiler.program import Program
from ..runtime.errors import SessionError
from ..runtime.governance.gates import require_gates
from ..runtime.values import GovernanceFlags
from .reading import fail_usage

MaxContextOption = Annotated[
    int | None,
    typer.Option(
        "--max-context", "--cpat-max-context", min=1, metavar="TOKENS", help="Most tokens that a request may hold."
    ),
]
AllowOption = Annotated[
    list[str] | None, typer.Option("--allow", metavar="GATE", help="Open a gate of operations on the context.")
]
AllowReplaceOption = Annotated[
    bool, typer.Option("--allow-replace", "--cpat-allow-replace", help="Open the gate replace.")
]
AllowRedactOption = Annotated[
    bool, typer.Option("--allow-redact", "--cpat-allow-redact", help="Open the gate redact.")
]
GovernanceOption = Annotated[
    Literal["on", "off"] | None,
    typer.Option("--governance", metavar="on|off", help="Switch governance on or off for the session, as /cpat does."),
]
CpatOffOption = Annotated[bool, typer.Option("--cpat-off", help="The same as --governance off.")]
CanonReadOnlyOption = Annotated[
    bool, typer.Option("--canon-read-only", help="Read articles and the journal of canon, and refuse to write them.")
]


def flags_of(
    max_context: int | None,
    allow: Iterable[str] | None,
    allow_replace: bool,
    allow_redact: bool,
    governance: Literal["on", "off"] | None,
    cpat_off: bool,
    canon_read_only: bool,
) -> GovernanceFlags:
    """The flags that options of these types say; a contradiction ends the program with exit code 2."""
    if governance == "on" and cpat_off:
        fail_usage("--governance on and --cpat-off contradict each other", "leave one out")
    on = False if cpat_off else None if governance is None else governance == "on"
    gates = {*(allow or ()), *(("replace",) if allow_replace else ()), *(("redact",) if allow_redact else ())}
    return GovernanceFlags(
        max_context=max_context, allow=frozenset(gates), on=on, canon_read_only=canon_read_only
    )  # fmt: skip


def check_gates(flags: GovernanceFlags, program: Program) -> None:
    """A gate that no operation of the program has ends the program with exit code 2."""
    try:
        require_gates(program, flags.allow)
    except SessionError as error:
        fail_usage(error.message, error.help)
