"""Recordings in few words: what a person typed, what was called, what came back."""

from __future__ import annotations

from pathlib import Path

from dcc.runtime.hosts.recording import Compaction, Recording, Reply, Step, ToolResult, Turn, Usage, UserMessage
from dcc.runtime.kernel.content import Call


def turn(text: str, *steps: Step) -> Turn:
    """A turn that a message begins."""
    return Turn(UserMessage(text), steps)


def say(text: str, usage: Usage | None = None) -> Reply:
    """A reply without tools."""
    return Reply(text, "", (), usage or Usage(), "stop")


def use(id: str, tool: str, usage: Usage | None = None, **arguments: str) -> Reply:
    """A reply that calls one tool."""
    return Reply("", "", (Call(id, tool, arguments),), usage or Usage(), "toolUse")


def got(id: str, text: str, tool: str = "read") -> ToolResult:
    """The result of a call."""
    return ToolResult(id, tool, text, False)


def recording(*turns: Turn, compactions: tuple[Compaction, ...] = ()) -> Recording:
    """A whole session in the folder ``/home/ada/tide``."""
    return Recording(Path("session.jsonl"), "/home/ada/tide", turns, (), (), compactions)


def read_loop(count: int, size: int, first: str = "read them all") -> Turn:
    """One turn in which ``count`` files are read one after the other, each ``size`` short words long."""
    steps: list[Step] = []
    for n in range(count):
        steps += [use(f"c{n}", "read", path=f"f{n}.py"), got(f"c{n}", f"file {n} " + "word " * size)]
    return turn(first, *steps, say("read"))
