"""The seven steps in their order, with their labels (agent runtime spec, sections 1.6 and 1.8)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from .names import ALL
from .profiles import PROFILES, own_entries
from .rules import Block, Path, PolicyRules, Scope


@dataclass(frozen=True, slots=True)
class Policy:
    """An allow and a deny list. An allow list without names allows all, unless ``closed`` says that it allows none.

    ``own``: entries for dcc's own tools that a profile has besides its list.
    """

    allow: tuple[str, ...] | None = None
    deny: tuple[str, ...] | None = None
    closed: bool = False
    own: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Step:
    """One step that has a policy: its number, its label, and where the policy is written.

    ``judged``: the names of its allow list are judged before it is applied (``entries``). ``unknown_profile`` is the
    profile that the step names and that does not exist.
    """

    number: int
    label: str
    path: Path
    policy: Policy
    judged: bool = True
    unknown_profile: str | None = None


def provider_keys(provider: str | None, model: str | None, *, compat: bool = False) -> tuple[str, ...]:
    """The keys under which ``byProvider`` is looked up for a model, in order (section 1.7).

    A model id with a slash is looked up as it is and, but with ``compat``, as ``provider/model`` before that.
    """
    provider, model = (provider or "").strip().lower(), (model or "").strip().lower()
    if not provider:
        return ()
    if not model:
        return (provider,)
    full = f"{provider}/{model}"
    if "/" not in model:
        return (full, provider)
    return (model, provider) if compat else (full, model, provider)


def steps_of(rules: PolicyRules, agent: str | None, keys: tuple[str, ...]) -> Iterator[Step]:
    """Steps 1 to 6, for an agent (None, or one that is not declared: no agent) and the keys of its provider."""
    everyone, own = rules.tools, rules.agents.get(agent) if agent is not None else None
    everyone_here, own_here = everyone.provider(keys), own.provider(keys) if own is not None else None
    own_block = own.block if own is not None else None
    yield from _profile_step(rules, 1, "tools.profile", own_block, everyone.block)
    yield from _profile_step(rules, 2, "tools.byProvider.profile", own_here, everyone_here)
    yield from _list_step(3, "tools.allow", everyone.block)
    yield from _list_step(4, "tools.byProvider.allow", everyone_here)
    name = (agent or "").strip()
    scope = f"agents.{name}.tools" if name else "agent tools"
    yield from _list_step(5, f"{scope}.allow", own_block)
    yield from _list_step(6, f"{scope}.byProvider.allow", own_here)


def group_step(scope: Scope | None) -> Iterator[Step]:
    """Step 7."""
    yield from _list_step(7, "group tools.allow", scope.block if scope is not None else None)


def _profile_step(
    rules: PolicyRules, number: int, label: str, own: Block | None, everyone: Block | None
) -> Iterator[Step]:
    """The step of a profile: the agent's own, else everyone's; so with the alsoAllow that widens it."""
    block = own if own is not None and own.profile is not None else everyone
    if block is None or block.profile is None:
        return
    widened = next((b.also_allow for b in (own, everyone) if b is not None and b.also_allow is not None), ())
    name = block.profile.strip()
    label, path = f"{label} ({name})" if name else label, (*block.path, "profile")
    if block.profile not in PROFILES:
        if not rules.compat:
            policy = Policy(tuple(dict.fromkeys(widened)), closed=True)
            yield Step(number, label, path, policy, unknown_profile=block.profile)
    elif (allow := PROFILES[block.profile]) is not None:
        added = own_entries(block.profile, offloads=rules.offloads)
        yield Step(number, label, path, Policy(tuple(dict.fromkeys((*allow, *widened))), own=added))


def _list_step(number: int, label: str, block: Block | None) -> Iterator[Step]:
    if block is not None and (policy := written_policy(block)) is not None:
        yield Step(number, label, block.path, policy)


def written_policy(block: Block) -> Policy | None:
    """The lists of a block; alsoAllow without an allow list stands beside all that there is (section 1.6)."""
    allow = block.allow
    if block.also_allow:
        allow = tuple(dict.fromkeys((*(allow or (ALL,)), *block.also_allow)))
    return None if allow is None and block.deny is None else Policy(allow, block.deny)
