"""Policies of who asks and where it runs: the owner, subagents, sandboxes (agent runtime spec, section 1.11).

Their lists are applied as they are written, without judging the names, after the seven steps. A sandbox's own lists
are matched as all others, apply_patch following exec too: one meaning of a list everywhere.
"""

from __future__ import annotations

from collections.abc import Iterator

from .names import OWN_GROUPS, normal_names
from .rules import Block, PolicyRules
from .steps import Policy, Step

#: The numbers of what is asked besides the seven steps.
OWNER, SANDBOX, SUBAGENT = 0, 8, 9

OWNER_LABEL = "owner only"

#: What no subagent has, and what one that may not spawn others has not either.
NEVER_BELOW = (
    "gateway", "agents_list", "whatsapp_login", "session_status", "cron", "memory_search", "memory_get",
    "sessions_send",
)  # fmt: skip
NEVER_IN_LEAVES = ("sessions_list", "sessions_history", "sessions_spawn")

#: What a sandbox has where nothing else is said. dcc's own tools reach nothing outside the context.
SANDBOX_ALLOW = (
    "exec", "process", "read", "write", "edit", "apply_patch", "image", "sessions_list", "sessions_history",
    "sessions_send", "sessions_spawn", "subagents", "session_status", *OWN_GROUPS,
)  # fmt: skip
SANDBOX_DENY = ("browser", "canvas", "nodes", "cron", "gateway")


def is_leaf(rules: PolicyRules, depth: int) -> bool:
    """Whether a subagent at this depth may start no other."""
    return depth >= rules.spawn_depth


def subagent_step(rules: PolicyRules, *, leaf: bool) -> Step:
    """What subagents may use; the lists of ``tools.subagents.tools`` come on top."""
    block = rules.subagents or Block(("tools", "subagents", "tools"))
    deny = (*NEVER_BELOW, *(NEVER_IN_LEAVES if leaf else ()), *(block.deny or ()))
    return Step(SUBAGENT, "subagent tools.allow", block.path, Policy(block.allow, deny), judged=False)


def sandbox_step(rules: PolicyRules, agent: str | None) -> Step:
    """What a sandbox has: each list is the agent's, else everyone's, else the default; they are never merged."""
    own = rules.agents.get(agent) if agent is not None else None
    blocks = [scope.sandbox for scope in (own, rules.tools) if scope is not None and scope.sandbox is not None]
    allow = next((block.allow for block in blocks if block.allow is not None), SANDBOX_ALLOW)
    deny = next((block.deny for block in blocks if block.deny is not None), SANDBOX_DENY)
    if allow and "image" not in normal_names((*allow, *deny)):
        allow = (*allow, "image")
    path = blocks[0].path if blocks else ("tools", "sandbox", "tools")
    return Step(SANDBOX, "sandbox tools.allow", path, Policy(allow, deny), judged=False)


def group_of(explicit: str | None, session_key: str | None, spawned_by: str | None) -> str | None:
    """The group that a run belongs to: the one that is given, else that of its session key, else of its parent's."""
    return next((found for found in _candidates(explicit, session_key, spawned_by) if found), None)


def _candidates(explicit: str | None, *keys: str | None) -> Iterator[str]:
    yield (explicit or "").strip()
    yield from map(_group_in, keys)


def _group_in(key: str | None) -> str:
    """The group of a key ``agent:<id>:[subagent:]<channel>:group|channel:<group…>[:thread:…]``; ``""``: none."""
    parts = [part for part in (key or "").partition(":thread:")[0].split(":") if part]
    body = parts[2:] if parts[:1] == ["agent"] else parts
    body = body[1:] if body[:1] == ["subagent"] else body
    return ":".join(body[2:]).strip() if len(body) > 2 and body[1] in ("group", "channel") else ""
