"""The names that tool policies are written with (spec of the agent runtime, sections 1.1 to 1.3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from .ir.ruleset import Ruleset
from .ir.tools import ToolPolicy, ToolsSection
from .problem import KeyPath

#: Profiles, looked up exactly; an unknown one is no policy at all.
PROFILES = ("coding", "full", "messaging", "minimal")

#: What stands for a tool under another name.
ALIASES: Mapping[str, str] = {"bash": "exec", "apply-patch": "apply_patch"}

_SESSIONS = (
    "sessions_list", "sessions_history", "sessions_send", "sessions_spawn", "subagents", "session_status",
)  # fmt: skip
_MEMORY = ("memory_search", "memory_get")
_WEB = ("web_search", "web_fetch")
_UI = ("browser", "canvas")

#: Groups and their members. The members of ``group:plugins`` are known when a session runs.
GROUPS: Mapping[str, tuple[str, ...]] = {
    "group:memory": _MEMORY,
    "group:web": _WEB,
    "group:fs": ("read", "write", "edit", "apply_patch"),
    "group:runtime": ("exec", "process"),
    "group:sessions": _SESSIONS,
    "group:ui": _UI,
    "group:automation": ("cron", "gateway"),
    "group:messaging": ("message",),
    "group:nodes": ("nodes",),
    "group:openclaw": (
        *_UI, "nodes", "cron", "message", "gateway", "agents_list", *_SESSIONS, *_MEMORY, *_WEB, "image",
    ),
    "group:plugins": (),
}  # fmt: skip

#: Every tool that ships, by its own name. A host may have others.
TOOLS = frozenset(name for members in GROUPS.values() for name in members)


def normal_name(name: str) -> str:
    """A tool name as policies compare it: trimmed, in small letters, an alias resolved."""
    name = name.strip().lower()
    return ALIASES.get(name, name)


def policy_blocks(ruleset: Ruleset) -> Iterator[tuple[KeyPath, ToolPolicy]]:
    """Every block of a tool policy, with its key path: of all, of agents, of groups, and by provider."""
    scopes: list[tuple[KeyPath, ToolsSection | None]] = [(("tools",), ruleset.tools)]
    scopes += [(("agents", name, "tools"), scope.tools) for name, scope in ruleset.agents.items()]
    scopes += [(("groups", name, "tools"), scope.tools) for name, scope in ruleset.groups.items()]
    for path, section in scopes:
        if section is not None:
            yield path, section
            yield from (((*path, "byProvider", name), block) for name, block in section.byProvider.items())


def named_tools(ruleset: Ruleset) -> Iterator[tuple[KeyPath, str]]:
    """Every entry of an allow, alsoAllow or deny list, with its key path."""
    for path, block in policy_blocks(ruleset):
        for key in ("allow", "alsoAllow", "deny"):
            for index, name in enumerate(getattr(block, key) or ()):
                yield (*path, key, index), name
