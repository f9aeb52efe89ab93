"""How long it takes to compile a large tool policy to its table, and to read every cell with its deciding step."""

from __future__ import annotations

from time import perf_counter
from typing import Any

from dcc.compiler.policy.rules import policy_rules
from dcc.compiler.policy.table import compile_policy

TOOLS, AGENTS, GROUPS = 200, 50, 20
PROVIDERS = ("openai", "openai/gpt-5", "anthropic", "anthropic/claude-opus")

#: The most that each figure may be, in seconds.
BARS = {"policy_compile_s": 1.0, "policy_read_s": 4.0}


def run(quick: bool) -> dict[str, float]:
    """Seconds for 200 tools x 50 agents x 20 groups x 4 provider keys: ``policy_compile_s``, ``policy_read_s``."""
    tools, sections = _tools(), _sections(AGENTS // 10 if quick else AGENTS)
    start = perf_counter()
    table = compile_policy(policy_rules(sections, offloads=False), tools)
    compiled = perf_counter()
    keys = [table.keys_of(*key.split("/", 1)) if "/" in key else table.keys_of(key, None) for key in PROVIDERS]
    names = table.names
    seen: set[str | None] = set()
    for agent in sections["agents"]:
        for group in sections["groups"]:
            for key in keys:
                for name in names:
                    seen.add(table.cell(name, agent, group, key).label)
    read = perf_counter()
    assert len(seen) > AGENTS // 10
    return {"policy_compile_s": compiled - start, "policy_read_s": read - compiled}


def _tools() -> list[tuple[str, str | None]]:
    """Half of them core tools, half those of ten plugins."""
    core = [(f"tool_{index}", None) for index in range(TOOLS // 2)]
    return [*core, *((f"plug_{index}", f"plugin{index % 10}") for index in range(TOOLS // 2))]


def _sections(agents: int) -> dict[str, Any]:
    """Lists of exact names, patterns and plugins, different for every scope."""
    by_provider = {key: {"deny": [f"tool_{i}" for i in range(n, n + 5)]} for n, key in enumerate(PROVIDERS)}

    def scope(n: int) -> dict[str, Any]:
        own = {key: {"deny": [f"tool_{(n + i) % 100}", f"plug_{n}*"]} for i, key in enumerate(PROVIDERS)}
        allow = ["tool_*", f"plugin{n % 10}", *(f"plug_{(n + i) % 100}" for i in range(20))]
        return {"tools": {"allow": allow, "deny": [f"*_{n}"], "byProvider": own}}

    groups = {f"g{n}": {"tools": {"deny": [f"tool_{n}", f"plugin{n % 10}"]}} for n in range(GROUPS)}
    return {
        "tools": {"deny": ["tool_0"], "byProvider": by_provider},
        "agents": {f"a{n}": scope(n) for n in range(agents)},
        "groups": groups,
    }
