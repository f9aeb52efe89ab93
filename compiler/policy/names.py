"""How tools are named in policies: normal names, aliases, groups (agent runtime spec, sections 1.1 and 1.2)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

#: What stands for a tool under another name.
ALIASES: Mapping[str, str] = {"bash": "exec", "apply-patch": "apply_patch"}

ALL = "*"
PLUGINS = "group:plugins"
GROUP_PREFIX = "group:"

_SESSIONS = (
    "sessions_list", "sessions_history", "sessions_send", "sessions_spawn", "subagents", "session_status",
)  # fmt: skip
_MEMORY = ("memory_search", "memory_get")
_WEB = ("web_search", "web_fetch")
_UI = ("browser", "canvas")

#: Tools that dcc itself answers, by group; they change nothing outside the context.
OWN_GROUPS: Mapping[str, tuple[str, ...]] = {
    "group:context": ("artifact_get", "dc_recall", "context_update"),
    "group:canon": ("canon",),
}

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
    **OWN_GROUPS,
    PLUGINS: (),
}  # fmt: skip

#: Tools that only the owner of a session may use (section 1.11).
OWNER_ONLY = frozenset({"whatsapp_login"})

#: Every tool that policies know by name, whether a session has it or not. A host and its plugins may bring others.
#: The last ones joined the catalogue of the runtime that the policies come from after the version of its spec.
CATALOGUE = frozenset(name for members in GROUPS.values() for name in members) | OWNER_ONLY
CATALOGUE |= {"ls", "pdf", "x_search", "code_execution", "secrets"}


def normal_name(name: str) -> str:
    """A tool name as policies compare it: trimmed, in small letters, an alias resolved."""
    name = name.strip().lower()
    return ALIASES.get(name, name)


def normal_names(names: Iterable[str] | None) -> tuple[str, ...]:
    """The normal names of a list, blanks dropped, in order."""
    return tuple(name for raw in names or () if (name := normal_name(raw)))
