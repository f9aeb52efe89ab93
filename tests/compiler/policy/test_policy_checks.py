"""Findings in tool policies that depend on more than one section."""

from __future__ import annotations

import pytest

from dcc.compiler.load import check_source

OFFLOADS = "life_cycle: {toolResult: {end: born+9, retire: offload}}\n"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("tools: {profile: unknown}", [("unknown-profile", "error")]),
        ("compat: openclaw\ntools: {profile: unknown}", [("unknown-profile", "warning")]),
        ("tools: {allow: [nope]}", [("allows-nothing", "error")]),
        ("compat: openclaw\ntools: {allow: [nope]}", [("allows-nothing", "warning")]),
        ("tools: {allow: ['sess*']}", []),
        ("compat: openclaw\ntools: {allow: ['sess*']}", [("allows-nothing", "warning")]),
        ("tools: {allow: [nope], mcp: {fish: {command: fish}}}", []),
        ("tools: {allow: [fish], mcp: {fish: {command: fish}}}", []),
        ("tools: {allow: [nope], plugins: {fish: []}}", []),
        ("tools: {allow: [nope], plugins: {fish: [fish_run]}}", [("allows-nothing", "error")]),
        ("tools: {allow: [read, 'nope*']}", [("allows-nothing", "error")]),
        ("tools: {allow: [read, nope]}", [("unknown-tool", "warning")]),
        ("tools: {subagents: {tools: {deny: [nope]}}}", [("unknown-tool", "warning")]),
        ("agents: {a: {tools: {sandbox: {tools: {allow: [nope]}}}}}", [("unknown-tool", "warning")]),
        ("tools: {deny: ['*']}", []),
        # openclaw 146392, 45269, 77801: tools that ship and those of enabled plugins are known, here or not.
        ("agents: {main: {tools: {profile: messaging, alsoAllow: [pdf]}}}", []),
        ("tools: {allow: [read, apply_patch]}", []),
        ("tools: {plugins: {llm-task: [llm-task]}}\nagents: {main: {tools: {alsoAllow: [llm-task]}}}", []),
        ("tools: {plugins: {tasks: []}}\nagents: {main: {tools: {alsoAllow: [llm-task, tasks]}}}", []),
        ("compat: lobster\ntools: {deny: [exec]}", [("wrong-value", "error")]),
        (OFFLOADS + "tools: {profile: minimal}", []),
        (OFFLOADS + "tools: {allow: [read]}", [("artifacts-out-of-reach", "error")]),
        (OFFLOADS + "tools: {deny: [artifact_get]}", [("artifacts-out-of-reach", "error")]),
        (OFFLOADS + "tools: {deny: ['*']}", []),
        # The ids of servers are known, and what else is not known may be theirs: such lists add.
        (OFFLOADS + "tools: {allow: [fish], mcp: {fish: {command: fish}}}", []),
        (OFFLOADS + "tools: {allow: [fish_run, 'fish_*'], mcp: {fish: {command: fish}}}", []),
        (OFFLOADS + "tools: {allow: [fish_run], plugins: {fish: []}}", []),
        (OFFLOADS + "tools: {allow: [read, fish_run], mcp: {fish: {command: fish}}}",
         [("artifacts-out-of-reach", "error")]),
        ("tools: {allow: [fish, fish_run], mcp: {fish: {command: fish}}}\nagents: {a: {tools: {allow: [read]}}}", []),
        ("tools: {deny: [artifact_get]}", []),
        ("tools: {allow: [read, artifact_get]}", []),
    ],
)  # fmt: skip
def test_findings(text: str, found: list[tuple[str, str]]) -> None:
    assert [(d.name, d.severity) for d in check_source("rules.yaml", text + "\n").diagnostics] == found


@pytest.mark.parametrize(
    "block",
    [
        "tools: %s", "tools: {byProvider: {openai: %s}}", "agents: {main: {tools: %s}}",
        "agents: {main: {tools: {byProvider: {openai: %s}}}}", "groups: {family: {tools: %s}}",
    ],
)  # fmt: skip
def test_a_scope_allows_or_also_allows(block: str) -> None:
    both = check_source("rules.yaml", block % "{allow: [read, write], alsoAllow: [exec]}").diagnostics
    assert [(d.name, d.severity) for d in both] == [("allow-and-also-allow", "error")]
    for one in ("{allow: [read], alsoAllow: []}", "{alsoAllow: [exec], allow: []}"):
        found = check_source("rules.yaml", block % one).diagnostics
        assert "allow-and-also-allow" not in {d.name for d in found}
