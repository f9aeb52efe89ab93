"""Where tool policies are written in a ruleset: what the checks go through."""

from __future__ import annotations

from collections.abc import Iterator

from ..ir.ruleset import Ruleset
from ..ir.tools import NamesOnly, ToolPolicy, ToolsSection
from ..problem import KeyPath


def policy_blocks(ruleset: Ruleset) -> Iterator[tuple[KeyPath, ToolPolicy]]:
    """Every block of a tool policy, with its key path: of all, of agents, of groups, and by provider."""
    for path, section in _sections(ruleset):
        yield path, section
        yield from (((*path, "byProvider", name), block) for name, block in section.byProvider.items())


def named_tools(ruleset: Ruleset) -> Iterator[tuple[KeyPath, str]]:
    """Every entry of an allow, alsoAllow or deny list, with its key path: of policies, sandboxes and subagents."""
    blocks: list[tuple[KeyPath, ToolPolicy | NamesOnly]] = [*policy_blocks(ruleset), *_further(ruleset)]
    for path, block in blocks:
        for key in ("allow", "alsoAllow", "deny"):
            for index, name in enumerate(getattr(block, key, None) or ()):
                yield (*path, key, index), name


def _sections(ruleset: Ruleset) -> Iterator[tuple[KeyPath, ToolsSection]]:
    if ruleset.tools is not None:
        yield ("tools",), ruleset.tools
    for kind, scopes in (("agents", ruleset.agents), ("groups", ruleset.groups)):
        for name, scope in scopes.items():
            if scope.tools is not None:
                yield (kind, name, "tools"), scope.tools


def _further(ruleset: Ruleset) -> Iterator[tuple[KeyPath, NamesOnly]]:
    """The lists of sandboxes and subagents."""
    scopes = [(("tools",), ruleset.tools), *((("agents", n, "tools"), a.tools) for n, a in ruleset.agents.items())]
    for path, section in scopes:
        if section is not None and section.sandbox is not None:
            yield (*path, "sandbox", "tools"), section.sandbox.tools
    if ruleset.tools is not None and ruleset.tools.subagents is not None:
        yield ("tools", "subagents", "tools"), ruleset.tools.subagents.tools
