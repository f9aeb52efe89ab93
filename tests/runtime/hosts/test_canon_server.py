"""``dcc mcp --canon`` as a process, driven by the client of the official SDK (gate 151)."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from canon_project import Project

from dcc.runtime.memory import tool
from dcc.runtime.memory.options import Options

pytest.importorskip("mcp")

from mcp import ClientSession, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp_types import CallToolResult, InitializeResult

Talk = Callable[[ClientSession, InitializeResult], Awaitable[None]]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path / "proj")


def drive(project: Project, talk: Talk, *options: str, **environ: str) -> None:
    """Start the server in the project and talk to it."""
    command = StdioServerParameters(
        command=str(Path(sys.executable).parent / "dcc"), args=["mcp", "--canon", *options],
        env={"PATH": os.environ["PATH"], "HOME": str(project.folder.parent), **environ}, cwd=project.folder,
    )  # fmt: skip

    async def main() -> None:
        async with stdio_client(command) as streams, ClientSession(*streams) as session:
            await talk(session, await session.initialize())

    asyncio.run(asyncio.wait_for(main(), 60))


async def call(session: ClientSession, meta: dict[str, Any] | None = None, **arguments: Any) -> CallToolResult:
    return await session.call_tool("canon", arguments, meta=meta)


def text_of(result: CallToolResult) -> str:
    (content,) = result.content
    assert content.type == "text"
    return content.text


def test_gate_151_the_server_says_what_it_is_and_writes_where_it_is_told(project: Project, tmp_path: Path) -> None:
    elsewhere = tmp_path / "else where"
    elsewhere.mkdir()
    meta = {"codex/sandbox-state-meta": {"sandboxCwd": elsewhere.as_uri()}, "threadId": "gate-session"}

    async def talk(session: ClientSession, said: InitializeResult) -> None:
        assert said.server_info.name == "canon-codex"
        assert said.instructions == tool.description(Options())
        assert said.capabilities.experimental == {"codex/sandbox-state-meta": {}}
        assert said.capabilities.tools is not None
        (listed,) = (await session.list_tools()).tools
        assert (listed.name, listed.input_schema) == ("canon", tool.PARAMETERS)
        wrote = await call(session, meta, action="write", path="src/config.ts", capsule="Env wins.")
        assert text_of(wrote).startswith("Wrote src/config.")
        assert (wrote.is_error, (wrote.meta or {})["dcc/code"]) == (False, "wrote")
        await call(session, meta, action="journal", body="It happened.", slug="x")
        assert (await call(session, action="read", path="src/config.ts")).meta == {
            "dcc/code": "no_article", "dcc/address": "src/config",
        }  # fmt: skip
        await call(session, action="write", path="here", capsule="In the server's folder.")
        outside = text_of(await call(session, action="read", path="../out.ts"))
        assert outside.splitlines()[-1] == f"../out.ts lies outside of {project.folder}: as an address it is out."

    drive(project, talk, PI_CANON_CALLER="codex")
    assert (elsewhere / ".canon/articles/src/config.md").is_file()
    (entry,) = (elsewhere / ".canon/journal").iterdir()
    assert "\nharness: codex\nsession: gate-session\n" in entry.read_text()
    assert (project.root / "articles/here.md").is_file()


def test_claude_code_is_known_by_its_session(project: Project) -> None:
    async def talk(session: ClientSession, said: InitializeResult) -> None:
        assert said.server_info.name == "canon-claude-code"
        await call(session, action="journal", body="It happened.")

    drive(project, talk, CLAUDE_CODE_SESSION_ID="abc")
    (entry,) = (project.root / "journal").iterdir()
    assert "\nharness: claude-code\nsession: abc\n" in entry.read_text()


def test_what_is_wrong_with_a_call_is_answered(project: Project) -> None:
    async def talk(session: ClientSession, said: InitializeResult) -> None:
        for arguments in ({"action": "fly"}, {}, {"action": "read"}, {"action": "write", "path": "\0"}):
            result = await call(session, **arguments)
            assert not result.is_error
            assert text_of(result)
        with pytest.raises(MCPError, match="zap") as raised:
            await session.call_tool("zap", {})
        assert raised.value.code == -32602
        await session.send_ping()

    drive(project, talk)
    assert not project.root.exists()


def test_one_session_does_not_write_over_what_another_wrote(project: Project) -> None:
    async def talk(session: ClientSession, said: InitializeResult) -> None:
        await call(session, {"threadId": "a"}, action="write", path="x", body="One.")
        await call(session, {"threadId": "b"}, action="write", path="x", body="Two.")
        stale = await call(session, {"threadId": "a"}, action="write", path="x", body="Three.")
        assert (stale.meta or {})["dcc/code"] == "stale"

    drive(project, talk)
    assert "Two." in project.file("x").read_text()


def test_read_only_refuses_every_write(project: Project) -> None:
    async def talk(session: ClientSession, said: InitializeResult) -> None:
        for action in ("write", "journal"):
            result = await call(session, action=action, path="x", body="y")
            assert (result.meta or {})["dcc/code"] == "read_only"

    drive(project, talk, "--read-only")
    assert not project.root.exists()
