"""For whom a run may be: the agents and groups of its ruleset."""

from __future__ import annotations

from collections.abc import Iterator

from ...compiler.policy.declared import undeclared, without_policy
from ...compiler.program import Program
from ..errors import SessionError
from .request import RunContext


def require_declared(program: Program, context: RunContext) -> None:
    """Refuse an agent or a group that the program does not know beside others that it does.

    Raises SessionError: ``unknown_agent``, ``unknown_group``.
    """
    policy = program.policy
    agent = undeclared("agent", context.agent, policy.agents, compat=policy.compat)
    group = undeclared("group", context.group, policy.groups, compat=policy.compat)
    for code, fault in (("unknown_agent", agent), ("unknown_group", group)):
        if fault is not None:
            raise SessionError(code, fault.message, help=fault.help)


def unruled(program: Program, context: RunContext) -> Iterator[tuple[str, str]]:
    """What is to be told of an agent and a group that may run and have no entry: (code, message)."""
    agent = without_policy("agent", context.agent, program.policy.agents)
    group = without_policy("group", context.group, program.policy.groups)
    for code, message in (("unknown_agent", agent), ("unknown_group", group)):
        if message is not None:
            yield code, message
