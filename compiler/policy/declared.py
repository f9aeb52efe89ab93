"""Agents and groups that a ruleset declares, and names that are none of them.

The runtime that the policies come from asks no policy for a name that has no entry (agent runtime spec, section 1.8).
Where entries are written, such a name is a slip of one of them: its run would have the tools that the entry takes away.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal, NamedTuple

from ..problem import nearest, one_of, quote

Kind = Literal["agent", "group"]


class Undeclared(NamedTuple):
    """A name that is not declared: what is wrong with it, and how to mend it."""

    message: str
    help: str


def undeclared(kind: Kind, name: str | None, declared: Collection[str]) -> Undeclared | None:
    """Why nobody may run under a name; None where it is declared, where none is given, and where none is declared."""
    if name is None or not declared or name in declared:
        return None
    near = nearest(name, declared)
    meant = f"did you mean {quote(near)}? " if near is not None else ""
    return Undeclared(
        f"the ruleset has no {kind} {quote(name)}",
        f"{meant}its {kind}s are {one_of(declared)}; to add one: {kind}s: {{{name}: {{}}}}",
    )
