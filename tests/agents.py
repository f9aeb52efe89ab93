"""Agents that run against the loopback server: rulesets, requests and scripts in few words."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from loopback.behaviour import Says
from loopback.server import Loopback

from dcc.runtime.agent.request import RunRequest
from dcc.runtime.agent.result import RunResult
from dcc.runtime.agent.run import Agent
from dcc.runtime.agent.tools.tool import AgentTool, ToolContext, ToolOutput
from dcc.runtime.kernel.clock import Clock
from dcc.runtime.kernel.content import Content

PROTOCOLS = ("openai", "anthropic")

#: A key, long enough to be taken for one.
KEY = "sk-0123456789abcdef"


def rules(server: Loopback, protocol: str = "openai", **more: Any) -> dict[str, Any]:
    """A ruleset whose provider is the server; ``more`` are further sections, and keys of ``provider``."""
    url = f"{server.url}/v1" if protocol == "openai" else server.url
    provider = {
        "type": protocol, "model": "small", "base_url": url, "cache": "none", "retries": {"attempts": 1},
        **more.pop("provider", {}),
    }  # fmt: skip
    return {"extends": ["standard"], "provider": provider, **more}


def run(
    config: Mapping[str, Any],
    prompt: str,
    folder: Path,
    *,
    tools: tuple[AgentTool, ...] = (),
    environ: Mapping[str, str] | None = None,
    clock: Clock | None = None,
    **fields: Any,
) -> RunResult:
    """Run a prompt in the session ``s`` of ``folder``."""
    request = RunRequest(
        prompt, session_file=folder / "sessions.db", **{"session": "s", "config": config, "timeout_s": 20.0, **fields}
    )
    agent = Agent(tools, environ={"PATH": "/usr/bin:/bin", **(environ or {})}, clock=clock, entry_points=False)
    return agent.run(request)


def calls(id: str, name: str, **arguments: Any) -> Says:
    """A reply that asks for one tool."""
    return Says(calls=((id, name, (json.dumps(arguments),)),))


def giving(*results: Content, described: str = "Looks something up.") -> AgentTool:
    """A tool ``look_up`` whose call with ``n`` gives the n-th result."""

    def look_up(arguments: Mapping[str, Any], context: ToolContext) -> ToolOutput:
        return ToolOutput(results[arguments["n"]])

    parameters = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    return AgentTool("look_up", described, parameters, look_up)


def looks_up(count: int, reported: Mapping[str, Any] | None = None) -> Says:
    """A reply that asks ``look_up`` for so many results at once; ``reported``: its usage."""
    calls = tuple((f"c{n}", "look_up", (json.dumps({"n": n}),)) for n in range(count))
    return Says(calls=calls, usage=reported)


def usage(protocol: str, input: int, output: int, read: int = 0, write: int = 0) -> dict[str, Any]:
    """A usage in the protocol's own shape."""
    if protocol == "anthropic":
        return {
            "input_tokens": input, "output_tokens": output, "cache_read_input_tokens": read,
            "cache_creation_input_tokens": write,
        }  # fmt: skip
    return {
        "prompt_tokens": input + read, "completion_tokens": output, "prompt_tokens_details": {"cached_tokens": read},
    }  # fmt: skip


def replies_in(body: Any) -> int:
    """How many replies of the model a request holds."""
    return sum(message["role"] == "assistant" for message in body["messages"])
