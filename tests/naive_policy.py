"""The seven steps as their description reads: lists filtered one after the other, nothing compiled, nothing kept.

It shares no code with ``dcc.compiler.policy``. ``answers`` gives for every tool whether it is there, the number and the
label of the step that decided, and the entry.
"""

from __future__ import annotations

import re
from typing import Any

OWN = {"group:context": ["artifact_get", "dc_recall", "context_update"], "group:canon": ["canon"]}
SESSIONS = ["sessions_list", "sessions_history", "sessions_send", "sessions_spawn", "subagents", "session_status"]
GROUPS: dict[str, list[str]] = {
    "group:memory": ["memory_search", "memory_get"],
    "group:web": ["web_search", "web_fetch"],
    "group:fs": ["read", "write", "edit", "apply_patch"],
    "group:runtime": ["exec", "process"],
    "group:sessions": SESSIONS,
    "group:ui": ["browser", "canvas"],
    "group:automation": ["cron", "gateway"],
    "group:messaging": ["message"],
    "group:nodes": ["nodes"],
    "group:openclaw": [
        "browser", "canvas", "nodes", "cron", "message", "gateway", "agents_list", *SESSIONS, "memory_search",
        "memory_get", "web_search", "web_fetch", "image",
    ],
    **OWN,
}  # fmt: skip
PROFILES: dict[str, list[str] | None] = {
    "minimal": ["session_status"],
    "coding": ["group:fs", "group:runtime", "group:sessions", "group:memory", "image"],
    "messaging": ["group:messaging", "sessions_list", "sessions_history", "sessions_send", "session_status"],
    "full": None,
}
SHIPPED = {name for members in GROUPS.values() for name in members} | {
    "whatsapp_login", "ls", "pdf", "x_search", "code_execution", "secrets",
}  # fmt: skip

Answer = tuple[bool, int | None, str | None, str | None]


def norm(name: str) -> str:
    name = name.strip().lower()
    return {"bash": "exec", "apply-patch": "apply_patch"}.get(name, name)


def glob(pattern: str, name: str) -> bool:
    if "*" not in pattern:
        return pattern == name
    return re.fullmatch("".join(".*" if c == "*" else re.escape(c) for c in pattern), name, re.DOTALL) is not None


class Naive:
    """One configuration, one list of tools."""

    def __init__(self, rules: dict[str, Any], tools: list[tuple[str, str | None]], offloads: bool) -> None:
        self.rules, self.offloads = rules, offloads
        self.compat = rules.get("compat") == "openclaw"
        self.tools = [norm(name) for name, _ in tools]
        self.core = {norm(name) for name, plugin in tools if plugin is None}
        self.plugin_tools = [norm(name) for name, plugin in tools if plugin is not None]
        self.by_plugin: dict[str, list[str]] = {}
        for name, plugin in tools:
            if plugin is not None:
                self.by_plugin.setdefault(plugin.lower(), []).append(norm(name))

    def answers(self, agent: str | None, group: str | None, provider: str | None, model: str | None) -> list[Answer]:
        return [self.answer(tool, self.steps(agent, group, provider, model)) for tool in self.tools]

    def answer(self, tool: str, steps: list[tuple[int, str, dict[str, Any]]]) -> Answer:
        answer: Answer = (True, None, None, None)
        for number, label, policy in steps:
            allow = policy["allow"] if policy.get("closed") else self.stripped(policy["allow"], policy.get("own", []))
            entry = self.matching(policy["deny"] or [], tool)
            if entry is not None:
                return False, number, label, entry
            if not policy.get("closed") and not any(norm(e) for e in allow):
                continue
            entry = self.matching(allow, tool)
            if entry is None and tool == "apply_patch":
                for other in ["exec"] if self.compat else ["write", "exec"]:
                    entry = entry if entry is not None else self.matching(allow, other)
            if entry is None:
                return False, number, label, None
            if entry.strip() != "*" or answer[1] is None:
                answer = (True, number, label, entry)
        return answer

    def names_of(self, entry: str) -> list[str]:
        """Plugins expanded, then groups."""
        name = norm(entry)
        if name == "group:plugins":
            return self.plugin_tools or [name]
        names = [name]
        if self.by_plugin.get(name):
            keeps = not self.compat and name in self.core
            names = [*([name] if keeps else []), *self.by_plugin[name]]
        return [member for one in names for member in GROUPS.get(one, [one])]

    def matching(self, entries: list[str], tool: str) -> str | None:
        """The entry that is told: an exact one, else a pattern, else the star; of equals the first."""
        pairs = [(name, entry) for entry in entries for name in self.names_of(entry) if name]
        exact = [entry for name, entry in pairs if name == tool]
        patterns = [entry for name, entry in pairs if "*" in name and name != "*" and glob(name, tool)]
        stars = [entry for name, entry in pairs if name == "*"]
        return next(iter([*exact, *patterns, *stars]), None)

    def stripped(self, allow: list[str] | None, own: list[str]) -> list[str]:
        entries = [norm(entry) for entry in allow or [] if norm(entry)]
        if not entries:
            return list(allow or []) + own
        kinds = [self.kind(entry) for entry in entries]
        dropped = "core" not in kinds if self.compat else all(kind == "plugin" for kind in kinds)
        return [] if dropped else [*(allow or []), *own]

    def kind(self, entry: str) -> str:
        core = self.core if self.compat else self.core | SHIPPED
        if entry == "*" or any(name in core for name in GROUPS.get(entry, [entry])):
            return "core"
        if entry == "group:plugins" or entry in self.by_plugin or entry in self.plugin_tools:
            return "plugin"
        if "*" in entry and not self.compat:
            if any(glob(entry, name) for name in core):
                return "core"
            if any(glob(entry, name) for name in self.plugin_tools):
                return "plugin"
        return "unknown"

    def steps(
        self, agent: str | None, group: str | None, provider: str | None, model: str | None
    ) -> list[tuple[int, str, dict[str, Any]]]:
        everyone = self.rules.get("tools") or {}
        own = ((self.rules.get("agents") or {}).get(agent) or {}).get("tools") or {}
        groups = self.rules.get("groups") or {}
        entry = group if group is None or group in groups else "*"
        of_group = (groups.get(entry) or {}).get("tools") or {}
        everyone_here, own_here = self.provider(everyone, provider, model), self.provider(own, provider, model)
        name = f"agents.{agent.strip()}.tools" if agent and agent.strip() else "agent tools"
        found = [
            (1, *self.profile("tools.profile", own, everyone)),
            (2, *self.profile("tools.byProvider.profile", own_here, everyone_here)),
            (3, "tools.allow", self.pick(everyone)),
            (4, "tools.byProvider.allow", self.pick(everyone_here)),
            (5, f"{name}.allow", self.pick(own)),
            (6, f"{name}.byProvider.allow", self.pick(own_here)),
            (7, "group tools.allow", self.pick(of_group)),
        ]
        return [(number, label, policy) for number, label, policy in found if policy is not None]

    def provider(self, section: dict[str, Any], provider: str | None, model: str | None) -> dict[str, Any]:
        blocks = {key.strip().lower(): block for key, block in (section.get("byProvider") or {}).items() if key.strip()}
        provider, model = (provider or "").strip().lower(), (model or "").strip().lower()
        if not provider:
            return {}
        tried = [provider]
        if model and "/" in model:
            tried = [model, provider] if self.compat else [f"{provider}/{model}", model, provider]
        elif model:
            tried = [f"{provider}/{model}", provider]
        return next((blocks[key] for key in tried if key in blocks), {})

    def profile(
        self, label: str, own: dict[str, Any], everyone: dict[str, Any]
    ) -> tuple[str, dict[str, Any] | None]:
        name = own["profile"] if own.get("profile") is not None else everyone.get("profile")
        also = own["alsoAllow"] if own.get("alsoAllow") is not None else everyone.get("alsoAllow") or []
        if name is None:
            return label, None
        label = f"{label} ({name.strip()})" if name.strip() else label
        if name not in PROFILES:
            return label, None if self.compat else {"allow": also, "deny": None, "closed": True}
        listed = PROFILES[name]
        if listed is None:
            return label, None
        dcc = ["artifact_get"] if name == "minimal" and self.offloads else [] if name == "minimal" else list(OWN)
        return label, {"allow": [*listed, *also], "deny": None, "own": dcc}

    def pick(self, block: dict[str, Any]) -> dict[str, Any] | None:
        allow, also, deny = block.get("allow"), block.get("alsoAllow") or [], block.get("deny")
        if also:
            allow = [*allow, *also] if allow else ["*", *also]
        return None if allow is None and deny is None else {"allow": allow, "deny": deny}
