"""Every key of a tool policy is looked up.

## What it finds

A key of `byProvider` that is blank, holds a `*`, is the same as a later one, or is nearly the name of a provider;
`byProvider`, and `profile`, of a group; the id of a plugin (`tools.plugins`, `tools.mcp`) that lists read as something
else.

## Why it matters

A provider's policy is looked up by `provider/model` and by `provider`, in small letters and without patterns. A group
has one step, its own lists. Names in lists are read without blanks around them, and `bash` as exec: no list can name
a plugin with such an id. What is never looked up decides nothing.

## Example

    tools: {byProvider: {"openai/*": {deny: [exec]}}}

## Instead

    tools: {byProvider: {openai: {deny: [exec]}}}

## Fix

Write the provider or the model in full; give a provider's policy to the ruleset or to an agent; rename the plugin.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from ..check import Check, Context
from ..diagnostics import Diagnostic
from ..policy.names import normal_name
from ..problem import KeyPath, quote, sure
from ..providers import TYPES

#: What dcc's own providers are called in policies; a host may have others.
_PROVIDERS = frozenset(TYPES.values())

#: What the name of a provider is made of.
_WORDS: Final = re.compile(r"[^\W_]+")

CHECK = Check("DCC714", "never-looked-up", "warning", kind="sections")


def run(context: Context) -> Iterator[Diagnostic]:
    ruleset = context.ruleset
    scopes = [(("tools",), ruleset.tools), *((("agents", n, "tools"), a.tools) for n, a in ruleset.agents.items())]
    for path, section in scopes:
        for key, said, help in _keys(tuple(section.byProvider) if section is not None else ()):
            yield from context.report(CHECK, (*path, "byProvider", key), said, help=help, on="key")
    for kind in ("plugins", "mcp"):
        for id in getattr(ruleset.tools, kind, ()):
            if why := _why_no_list_names(id):
                said = f"no list can name the plugin {quote(id)}: {why}"
                yield from context.report(CHECK, ("tools", kind, id), said, help="rename it", on="key")
    for name, group in ruleset.groups.items():
        for key in ("profile", "byProvider"):
            if group.tools is not None and getattr(group.tools, key):
                at: KeyPath = ("groups", name, "tools", key)
                said = f"a group has no {key}: it is never looked up"
                help = f"write its allow and deny lists, or give the {key} to an agent or to tools"
                yield from context.report(CHECK, at, said, help=help, on="key")


def _why_no_list_names(plugin: str) -> str | None:
    if not plugin.strip():
        return "its id is blank"
    if plugin != plugin.strip():
        return "blanks around a name are dropped"
    return f"it is read as {normal_name(plugin)}" if normal_name(plugin) != plugin.lower() else None


def _keys(keys: tuple[str, ...]) -> Iterator[tuple[str, str, str]]:
    """Keys that are never looked up, what is wrong with each, and its mend."""
    plain = [key.strip().lower() for key in keys]
    for index, key in enumerate(keys):
        if not plain[index]:
            yield key, "the key of a provider is blank", "write the name of the provider"
        elif "*" in key:
            yield key, f"{quote(key)} is no pattern: keys are looked up as they are", "write the provider alone"
        elif plain[index] in plain[index + 1 :]:
            later = keys[len(keys) - 1 - plain[::-1].index(plain[index])]
            yield key, f"{quote(key)} and {quote(later)} are one key, and the later one counts", "merge the two"
        elif (meant := _meant(plain[index].partition("/")[0])) is not None:
            yield key, f"{quote(key)} names no provider of dcc", f"did you mean {quote(meant)}?"


def _meant(provider: str) -> str | None:
    """The provider whose name is misspelt. One with a provider's name among its words, `openai-eu`, is a host's own."""
    return None if _PROVIDERS.intersection(_WORDS.findall(provider)) else sure(provider, _PROVIDERS)
