"""The tools that a chat offers to the model: those that dcc itself serves."""

from __future__ import annotations

from ...compiler.program import Program
from ..providers.protocol import Tool
from ..recall import tool as recall_tool
from ..session import Session

_RECALL = Tool(recall_tool.NAME, recall_tool.DESCRIPTION, recall_tool.PARAMETERS)


def offered(program: Program) -> tuple[Tool, ...]:
    """The tools of a chat; none where the ruleset says ``chat: {tools: none}``."""
    chat = program.sections.get("chat") or {}
    return () if chat.get("tools") == "none" else (_RECALL,)


def run_tool(session: Session, call_id: str, name: str) -> None:
    """Answer a waiting tool call: by the tool, or by saying that there is none of that name."""
    if session.serve(call_id) is not None:
        return
    session.start_tool(call_id)
    session.add_result(call_id, f"there is no tool {name}; this chat has {recall_tool.NAME}", is_error=True)
