"""One step applied to every tool: the matcher of section 1.5 of the agent runtime spec, with its reasons."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from .entries import Note, judge
from .matching import Matcher, Present
from .names import ALL
from .steps import Step

Why = Literal["allow", "all", "deny", "not_listed", "owner_only", "no_rule"]

PATCH = "apply_patch"


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether a tool exists, and the step that decided.

    ``rule`` is the entry that matched, as it is written. ``why``: ``allow`` the last list that names the tool, ``all``
    the same where lists say ``*`` only, ``deny`` the first that denies it, ``not_listed`` the first allow list without
    it, ``owner_only``, or ``no_rule``: nothing speaks of it, so it is allowed and there is no step.
    """

    allowed: bool
    why: Why
    step: int | None = None
    label: str | None = None
    rule: str | None = None


#: What holds of a tool that no step speaks of.
UNRULED = Decision(True, "no_rule")


@dataclass(frozen=True, slots=True)
class Verdicts:
    """What a step says of each tool, in the order of the tools; None: nothing. ``notes`` are about its lists."""

    step: Step
    decisions: tuple[Decision | None, ...]
    notes: tuple[Note, ...] = ()


def apply(step: Step, names: Sequence[str], present: Present, *, compat: bool = False) -> Verdicts:
    """Apply a step to tools by their normal names."""
    policy, notes = judge(step, present, compat=compat)
    deny = Matcher.of(policy.deny or (), present, compat=compat)
    allow = Matcher.of((*(policy.allow or ()), *policy.own), present, compat=compat)
    open_list = allow.empty and not policy.closed
    unlisted = Decision(False, "not_listed", step.number, step.label)
    made: dict[tuple[str, bool], Decision] = {}

    def told(entry: str, allowed: bool) -> Decision:
        key = (entry, allowed)
        if key not in made:
            why: Why = "deny" if not allowed else "all" if entry.strip() == ALL else "allow"
            made[key] = Decision(allowed, why, step.number, step.label, entry)
        return made[key]

    def verdict(name: str) -> Decision | None:
        if (entry := deny.entry_for(name)) is not None:
            return told(entry, False)
        if open_list:
            return None
        entry = allow.entry_for(name)
        if entry is None and name == PATCH:
            # Who may write or run commands may patch. A deny list has no such coupling.
            writes = () if compat else ("write",)
            entry = next((e for other in (*writes, "exec") if (e := allow.entry_for(other)) is not None), None)
        return unlisted if entry is None else told(entry, True)

    return Verdicts(step, tuple(map(verdict, names)), notes)


def after(first: Decision, then: Decision | None) -> Decision:
    """What holds after a further step: what was denied stays so, and the last list that names a tool is told."""
    if then is None or not first.allowed or (then.why == "all" and first.step is not None):
        return first
    return then


def combine(first: Sequence[Decision], then: Sequence[Decision | None]) -> tuple[Decision, ...]:
    """What holds of every tool after a further step."""
    return tuple(map(after, first, then))
