"""What a ruleset says of tools, as plain values: the sections ``tools``, ``agents``, ``groups`` and ``compat``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

#: The way to a block in the ruleset.
Path = tuple[str | int, ...]

#: Depth from which a subagent is a leaf, where nothing is said (agent runtime spec, section 1.11).
DEFAULT_SPAWN_DEPTH = 1


@dataclass(frozen=True, slots=True)
class Block:
    """One block of a policy as it is written; None: the key is left out."""

    path: Path
    profile: str | None = None
    allow: tuple[str, ...] | None = None
    deny: tuple[str, ...] | None = None
    also_allow: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Scope:
    """The ``tools`` of the ruleset, of an agent or of a group: its block, and one by provider key."""

    block: Block
    by_provider: Mapping[str, Block] = field(default_factory=dict)
    sandbox: Block | None = None

    def provider(self, keys: tuple[str, ...]) -> Block | None:
        """The block of the first key that there is; two are never merged (section 1.7)."""
        return next((self.by_provider[key] for key in keys if key in self.by_provider), None)


@dataclass(frozen=True, slots=True)
class PolicyRules:
    """Everything that decides which tools exist. ``offloads``: a rule makes results into addresses.

    ``compat``: the answers of the runtime that the policies come from, in its version 2026.2.17.
    """

    tools: Scope = Scope(Block(("tools",)))
    agents: Mapping[str, Scope] = field(default_factory=dict)
    groups: Mapping[str, Scope] = field(default_factory=dict)
    subagents: Block | None = None
    spawn_depth: int = DEFAULT_SPAWN_DEPTH
    offloads: bool = False
    compat: bool = False

    @property
    def scopes(self) -> Iterator[Scope]:
        """Those whose provider blocks are read: the ruleset's and the agents'."""
        yield self.tools
        yield from self.agents.values()


def policy_rules(sections: Mapping[str, Any], *, offloads: bool) -> PolicyRules:
    """The rules of plain sections, such as ``Program.sections`` holds."""
    tools = sections.get("tools") or {}
    subagents = tools.get("subagents") or {}
    return PolicyRules(
        tools=_scope(("tools",), tools),
        agents=_scopes("agents", sections),
        groups=_scopes("groups", sections),
        subagents=_block(("tools", "subagents", "tools"), subagents.get("tools")),
        spawn_depth=max(1, int(subagents.get("maxSpawnDepth") or DEFAULT_SPAWN_DEPTH)),
        offloads=offloads,
        compat=sections.get("compat") == "openclaw",
    )


def _scopes(kind: str, sections: Mapping[str, Any]) -> dict[str, Scope]:
    written = (sections.get(kind) or {}).items()
    return {name: _scope((kind, name, "tools"), entry.get("tools") or {}) for name, entry in written}


def _scope(path: Path, plain: Mapping[str, Any]) -> Scope:
    by_provider: dict[str, Block] = {}
    for written, entry in (plain.get("byProvider") or {}).items():
        block = _block((*path, "byProvider", written), entry)
        # Keys are compared trimmed and in small letters; of two that are then equal the later counts (section 1.7).
        if block is not None and (key := written.strip().lower()):
            by_provider[key] = block
    sandbox = _block((*path, "sandbox", "tools"), (plain.get("sandbox") or {}).get("tools"))
    return Scope(_block(path, plain) or Block(path), by_provider, sandbox)


def _block(path: Path, plain: Mapping[str, Any] | None) -> Block | None:
    if plain is None:
        return None
    allow, deny, also_allow = (
        None if (names := plain.get(key)) is None else tuple(names) for key in ("allow", "deny", "alsoAllow")
    )
    return Block(path, plain.get("profile"), allow, deny, also_allow)
