"""What the names of an allow list are worth before it is applied (agent runtime spec, section 1.10).

An allow list that names plugins only *adds* to what there is; it does not take the core tools away. One that names
nothing that exists allows nothing: the original dropped such a list, and one wrong letter opened every tool
(``compat`` keeps that).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from .matching import Present, pattern_of
from .names import ALL, CATALOGUE, GROUPS, PLUGINS, normal_names
from .steps import Policy, Step

Kind = Literal["core", "plugin", "unknown"]
Severity = Literal["error", "warning", "info"]


@dataclass(frozen=True, slots=True)
class Note:
    """What is to be said of a step. ``code``: unknown_profile, allows_nothing, unknown_entries, list_ignored, not_here
    or additive; ``entries`` are the names that it is about, normalised.
    """

    code: str
    severity: Severity
    step: int
    label: str
    entries: tuple[str, ...]
    message: str


def kind_of(entry: str, present: Present, *, compat: bool = False) -> Kind:
    """Whether a normalised entry names core tools, plugins, or nothing that is known.

    With ``compat`` only what is there counts, and a pattern names nothing (section 1.10, "Points").
    """
    core = present.core if compat else present.core | CATALOGUE
    if entry == ALL or any(name in core for name in GROUPS.get(entry, (entry,))):
        return "core"
    is_plugin = bool(present.by_plugin.get(entry)) if compat else entry in present.by_plugin
    if entry == PLUGINS or is_plugin or entry in present.plugin_tools:
        return "plugin"
    if not compat and ALL in entry:
        pattern = pattern_of(entry)
        if any(map(pattern.fullmatch, core)):
            return "core"
        if any(map(pattern.fullmatch, present.plugin_tools)):
            return "plugin"
    return "unknown"


def judge(step: Step, present: Present, *, compat: bool = False) -> tuple[Policy, tuple[Note, ...]]:
    """The policy that a step applies, and what is to be said of its allow list."""
    policy = step.policy
    entries = tuple(dict.fromkeys(normal_names(policy.allow)))
    if not step.judged:
        return policy, ()
    if step.unknown_profile is not None:
        said = f"there is no tool profile `{step.unknown_profile}`, so it allows no tool"
        return policy, (_note(step, "unknown_profile", "error", (step.unknown_profile.strip(),), said),)
    if not entries:
        return policy, ()
    kinds = {entry: kind_of(entry, present, compat=compat) for entry in entries}
    if present.partial and not compat:
        kinds = {entry: "plugin" if kind == "unknown" else kind for entry, kind in kinds.items()}
    unknown = tuple(entry for entry in entries if kinds[entry] == "unknown")
    if compat:
        return _judged_as_original(step, "core" in kinds.values(), unknown)
    if not unknown and "core" not in kinds.values():
        said = "it names plugins only, so their tools are added to all others"
        return replace(policy, allow=None), (_note(step, "additive", "info", entries, said),)
    return policy, tuple(_notes(step, kinds, present))


def _judged_as_original(step: Step, has_core: bool, unknown: tuple[str, ...]) -> tuple[Policy, tuple[Note, ...]]:
    """As 2026.2.17 does: a list without a core tool is dropped, whatever else it names."""
    policy = step.policy if has_core else replace(step.policy, allow=None, own=())
    if not unknown:
        return policy, ()
    if has_core:
        said = f"no tool or plugin here is called {_listed(unknown)}: matched by nothing until a plugin brings it"
        return policy, (_note(step, "unknown_entries", "warning", unknown, said),)
    said = f"no tool or plugin here is called {_listed(unknown)}: the list is ignored, and every core tool stays"
    return policy, (_note(step, "list_ignored", "warning", unknown, said),)


def _notes(step: Step, kinds: dict[str, Kind], present: Present) -> Iterable[Note]:
    unknown = tuple(entry for entry, kind in kinds.items() if kind == "unknown")
    if unknown:
        nothing = len(unknown) == len(kinds) or any(ALL in entry for entry in unknown)
        said = f"no tool or plugin here is called {_listed(unknown)}, so nothing is allowed by it"
        code: tuple[str, Severity] = ("allows_nothing", "error") if nothing else ("unknown_entries", "warning")
        yield _note(step, *code, unknown, said)
    if step.number in (1, 2):
        return  # A profile lists tools of many hosts; that some are missing here says nothing.
    absent = tuple(entry for entry, kind in kinds.items() if kind == "core" and not _is_here(entry, present))
    if absent:
        said = f"{_listed(absent)}: known, but not among the tools of this run"
        yield _note(step, "not_here", "info", absent, said)


def _is_here(entry: str, present: Present) -> bool:
    """Whether an entry for core tools stands for one that there is, or for a plugin's of the same name."""
    here = present.core.union(present.plugin_tools)
    if ALL not in entry:
        return any(name in here for name in GROUPS.get(entry, (entry,)))
    return any(map(pattern_of(entry).fullmatch, here))


def _note(step: Step, code: str, severity: Severity, entries: tuple[str, ...], said: str) -> Note:
    return Note(code, severity, step.number, step.label, entries, f"{step.label}: {said}")


def _listed(entries: tuple[str, ...]) -> str:
    return ", ".join(f"`{entry}`" for entry in entries)
