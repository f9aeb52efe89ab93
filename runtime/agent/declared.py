"""For whom a run may be: the agents and groups of its ruleset."""

from __future__ import annotations

from ...compiler.policy.declared import undeclared
from ...compiler.program import Program
from ..errors import SessionError
from .request import RunContext


def require_declared(program: Program, context: RunContext) -> None:
    """Refuse an agent or a group that the program does not know beside others that it does.

    Raises SessionError: ``unknown_agent``, ``unknown_group``.
    """
    agent = undeclared("agent", context.agent, program.policy.agents)
    group = undeclared("group", context.group, program.policy.groups)
    for code, fault in (("unknown_agent", agent), ("unknown_group", group)):
        if fault is not None:
            raise SessionError(code, fault.message, help=fault.help)
