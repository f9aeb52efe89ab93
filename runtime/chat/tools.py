"""The tools that a chat offers to the model: those that dcc itself serves."""

from __future__ import annotations

from ..providers.protocol import Tool
from ..session import Session


def offered(session: Session) -> tuple[Tool, ...]:
    """The tools of a chat; none where the ruleset says ``chat: {tools: none}``."""
    chat = session.program.sections.get("chat") or {}
    if chat.get("tools") == "none":
        return ()
    functions = (tool["function"] for tool in session.tools())
    return tuple(Tool(f["name"], f["description"], f["parameters"]) for f in functions)


def run_tool(session: Session, call_id: str, name: str) -> None:
    """Answer a waiting tool call: by the tool, or by saying that there is none of that name."""
    if session.serve(call_id) is not None:
        return
    session.start_tool(call_id)
    known = ", ".join(tool["function"]["name"] for tool in session.tools())
    session.add_result(call_id, f"there is no tool {name}; this chat has {known}", is_error=True)
