"""The compiled table gives what the seven steps give when they are carried out as they are described."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from naive_policy import Naive

from dcc.compiler.policy.rules import policy_rules
from dcc.compiler.policy.table import Where, compile_policy

CORE = (
    "read", "write", "edit", "exec", "process", "apply_patch", "session_status", "sessions_list", "web_search", "cron",
    "memory_get", "image", "message", "own_tool", "Own-Tool", "artifact_get", "dc_recall", "canon",
)  # fmt: skip
PLUGINS = ("lobster", "Crab", "exec", "bash", "web_search")
PLUGIN_TOOLS = ("lobster_run", "lobster_stop", "crab_walk", "session_crab", "web_fetch", "shell")
NAMES = (
    *CORE, *PLUGINS, *PLUGIN_TOOLS, "group:fs", "group:runtime", "group:web", "GROUP:Sessions", "group:memory",
    "group:openclaw", "group:plugins", "group:context", "group:canon", "group:shell", "*", " * ", "lob*", "sess*",
    "*_search", "*e*", "re?d", "fish*", "group:*", "nope", "constructor", "", "  ", " BASH ", "apply-patch", "pdf",
)  # fmt: skip
PROFILES = ("minimal", "coding", "messaging", "full", "Minimal", "unknown", "", " ")
KEYS = (
    "openai", "OpenAI ", "openai/gpt-5", "anthropic", "anthropic/claude", "openrouter/anthropic/claude", "openrouter",
    " ",
)  # fmt: skip
ASKED = (
    (None, None), ("openai", None), ("OpenAI", "GPT-5"), ("openai", "gpt-4"), ("openrouter", "anthropic/claude"),
    ("anthropic", "claude"), ("", "openai/gpt-5"), ("openai", "openai/gpt-5"), ("nobody", "gpt-5"),
)  # fmt: skip


def names(random: Random, most: int) -> list[str]:
    return [random.choice(NAMES) for _ in range(random.randint(0, most))]


def block(random: Random) -> dict[str, Any]:
    """A block, with more lists than a checked ruleset may have side by side."""
    made: dict[str, Any] = {}
    if random.random() < 0.35:
        made["profile"] = random.choice(PROFILES)
    for key, share in (("allow", 0.4), ("alsoAllow", 0.25), ("deny", 0.4)):
        if random.random() < share:
            made[key] = names(random, 6)
    return made


def scope(random: Random) -> dict[str, Any]:
    made = block(random)
    if random.random() < 0.6:
        made["byProvider"] = {random.choice(KEYS): block(random) for _ in range(random.randint(1, 4))}
    return made


def configuration(random: Random) -> dict[str, Any]:
    return {
        "tools": scope(random) if random.random() < 0.9 else None,
        "agents": {name: {"tools": scope(random)} for name in ("a", " b ", "") if random.random() < 0.6},
        "groups": {name: {"tools": block(random)} for name in ("g", "h", "*") if random.random() < 0.6},
        "compat": random.choice((None, None, "openclaw")),
    }


def tools(random: Random) -> list[tuple[str, str | None]]:
    core = random.sample(CORE, random.randint(0, len(CORE)))
    brought = random.sample(PLUGIN_TOOLS, random.randint(0, len(PLUGIN_TOOLS)))
    made = [*((name, None) for name in core), *((name, random.choice(PLUGINS)) for name in brought)]
    random.shuffle(made)
    return made


def check(seed: int) -> None:
    random = Random(seed)
    rules, listed, offloads = configuration(random), tools(random), random.random() < 0.5
    table, naive = compile_policy(policy_rules(rules, offloads=offloads), listed), Naive(rules, listed, offloads)
    for agent in (None, "a", " b ", "", "nobody"):
        for group in (None, "g", "nobody"):
            provider, model = random.choice(ASKED)
            told = naive.answers(agent, group, provider, model)
            keys = table.keys_of(provider, model)
            cells = [table.cell(name, agent, group, keys) for name in table.names]
            where = (seed, agent, group, provider, model)
            assert [(d.allowed, d.step, d.label, d.rule) for d in cells] == told, where
            decided = table.decide(Where(agent, group, provider, model))
            assert [d.allowed for d in decided] == [allowed for allowed, *_ in told], where


def test_random_configurations() -> None:
    for seed in range(300):
        check(seed)


@pytest.mark.slow
def test_two_thousand_random_configurations() -> None:
    for seed in range(300, 2_300):
        check(seed)
