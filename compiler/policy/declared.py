"""Agents and groups that a ruleset declares, and names that are none of them.

The runtime that the policies come from asks no policy for a name that has no entry (agent runtime spec, section 1.8).
Where entries are written, such a name is a slip of one of them: its run would have the tools that the entry takes away.
Groups have names that others gave them, and there may be many: the group ``*`` is for each that has no entry.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final, Literal, NamedTuple

from ..problem import nearest, one_of, quote

Kind = Literal["agent", "group"]

#: The group of every group that has no entry of its own.
ANY_GROUP: Final = "*"


class Undeclared(NamedTuple):
    """A name that is not declared: what is wrong with it, and how to mend it."""

    message: str
    help: str


def undeclared(kind: Kind, name: str | None, declared: Collection[str], *, compat: bool = False) -> Undeclared | None:
    """Why nobody may run under a name; None where it is declared, where none is given, and where none is declared.

    ``compat``: the original's answers are asked for, and it runs under any name.
    """
    if compat or name is None or not declared or name in declared or (kind == "group" and ANY_GROUP in declared):
        return None
    near = nearest(name, declared)
    meant = f"did you mean {quote(near)}? " if near is not None else ""
    others = f", to let in every other group: groups: {{'{ANY_GROUP}': {{}}}}" if kind == "group" else ""
    return Undeclared(
        f"the ruleset has no {kind} {quote(name)}",
        f"{meant}its {kind}s are {one_of(declared)}; to add one: {kind}s: {{{name}: {{}}}}{others}",
    )


def without_policy(kind: Kind, name: str | None, declared: Collection[str]) -> str | None:
    """What is to be told of a name that may be used and has no entry."""
    if name is None or name in declared or (kind == "group" and ANY_GROUP in declared):
        return None
    return f"{quote(name)} is not under `{kind}s` of the ruleset: it has no policy of its own"
