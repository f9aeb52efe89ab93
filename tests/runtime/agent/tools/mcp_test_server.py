"""A server of tools, made with the official SDK: what the tests of MCP servers start as a process of its own.

Arguments: a file to which each start is written as a line, and ``dies-first`` to die at the first start.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import Literal

from mcp.server.mcpserver import Image, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import ToolAnnotations

starts = Path(sys.argv[1])
with starts.open("a", encoding="utf-8") as file:
    file.write(f"{os.getpid()}\n")

print("the server says something to nobody", file=sys.stderr)
if sys.argv[2:] == ["dies-first"]:
    print("there is no configuration", file=sys.stderr)
    sys.exit(3)

server = MCPServer("everything")


@server.tool()
def add(a: int, b: int) -> int:
    """The sum of two numbers."""
    return a + b


@server.tool()
def read(path: str) -> str:
    """A tool with the name of one of dcc's own."""
    return f"the server's own {path}"


@server.tool()
def large(bytes: int) -> str:
    """A long text, with a head and a tail that can be told."""
    return "head " + "x" * bytes + " tail"


@server.tool()
def picture() -> Image:
    """An image."""
    return Image(data=b"\x89PNG\r\n", format="png")


@server.tool()
def fail(why: str) -> str:
    """Always fails."""
    raise ToolError(why)


@server.tool()
def wait(seconds: float) -> str:
    """Answers late."""
    time.sleep(seconds)
    return "at last"


@server.tool()
def environment(kind: Literal["names"] = "names") -> str:
    """The names of the variables that the server got."""
    return ",".join(sorted(os.environ))


@server.tool()
def die() -> str:
    """Ends the server in the middle of a call."""
    os._exit(1)


@server.tool(annotations=ToolAnnotations(read_only_hint=True))
def die_once() -> str:
    """Ends the server in the middle of its first call; may be repeated."""
    if len(starts.read_text(encoding="utf-8").splitlines()) < 2:
        os._exit(1)
    return "alive again"


@server.tool(annotations=ToolAnnotations(idempotent_hint=True))
def die_always() -> str:
    """Ends the server in the middle of every call; may be repeated."""
    os._exit(1)


server.run("stdio")
