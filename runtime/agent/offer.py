"""The tools of a run: which exist under the policy, how they are declared, and who carries out a call."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ...compiler.policy.entries import Note
from ...compiler.policy.known import plugins_of
from ...compiler.policy.names import GROUPS, normal_name
from ...compiler.policy.table import PolicyTable, Where, compile_policy
from ...compiler.program import Program
from ..providers.protocol import Tool
from ..session import Session
from .request import RunContext
from .tools.registry import Toolset


@dataclass(frozen=True, slots=True)
class Offer:
    """What a model is offered: the declarations, and which of them the session itself answers.

    ``notes``: what is to be said of the lists that decided.
    """

    declarations: tuple[Tool, ...]
    served: frozenset[str]
    notes: tuple[Note, ...] = ()

    @property
    def allowed(self) -> frozenset[str]:
        """The names of all that exist."""
        return frozenset(tool.name for tool in self.declarations)

    def notices(self) -> Iterator[tuple[str, str]]:
        """What is wrong with the lists that decided: (code, message)."""
        return ((note.code, note.message) for note in self.notes if note.severity != "info")


def policy_of(program: Program, toolset: Toolset, served: tuple[Tool, ...]) -> PolicyTable:
    """The policy table over what a run has: its tools, and those that the session serves."""
    known = [*((tool.name, tool.plugin) for tool in toolset.known), *((tool.name, None) for tool in served)]
    left_out = (problem.plugin for problem in toolset.problems)
    return compile_policy(program.policy, known, (*plugins_of(program.sections), *left_out))


def offer_of(
    table: PolicyTable, toolset: Toolset, served: tuple[Tool, ...], context: RunContext, provider: str, model: str
) -> Offer:
    """The tools that exist for a model in this run (seed 004, step 5)."""
    where = Where(
        context.agent, context.group, provider, model, context.sender_is_owner, context.depth, context.sandbox
    )
    allowed = frozenset(table.allowed(where))
    own = tuple(tool for tool in served if tool.name in allowed)
    declarations = (*toolset.declarations(allowed), *own)
    return Offer(declarations, frozenset(tool.name for tool in own), table.notes(where))


def served_by(session: Session) -> tuple[Tool, ...]:
    """The tools that a session answers, as providers are told of them."""
    functions = (tool["function"] for tool in session.tools())
    return tuple(Tool(f["name"], f["description"], f["parameters"]) for f in functions)


def is_messaging(name: str) -> bool:
    """Whether a tool sends messages to people: its results are told apart in the result of a run."""
    return normal_name(name) in GROUPS["group:messaging"]
