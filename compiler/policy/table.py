"""The policy table: the answer and the deciding step of every tool x agent x group x provider key."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from .declared import ANY_GROUP
from .entries import Note
from .limits import OWNER, OWNER_LABEL, is_leaf, sandbox_step, subagent_step
from .matching import Present
from .names import OWNER_ONLY, normal_name
from .rules import PolicyRules
from .steps import Step, group_step, provider_keys, steps_of
from .verdicts import UNRULED, Decision, Verdicts, after, apply, combine

_OWNERS = Decision(False, "owner_only", OWNER, OWNER_LABEL)

#: The keys of a provider that the ruleset knows, in the order of their lookup.
Keys = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Where:
    """Who asks, for whom and where: what the answer for a tool depends on.

    ``depth``: 0 is no subagent; one that is below 0 says nothing, and counts as 1 (agent runtime spec, section 1.11).
    """

    agent: str | None = None
    group: str | None = None
    provider: str | None = None
    model: str | None = None
    sender_is_owner: bool = True
    depth: int = 0
    sandbox: bool = False


@dataclass(frozen=True, slots=True)
class _Row:
    """The answers of an agent under the keys of a provider, before its group is asked."""

    decisions: tuple[Decision, ...]
    verdicts: tuple[Verdicts, ...]


@dataclass(frozen=True, slots=True)
class PolicyTable:
    """The compiled policy of a list of tools. Made by ``compile_policy``; its rows never change.

    Rows of combinations that no key of the ruleset foresees (a model that is looked up under several keys) are made
    when they are first asked for. ``others`` is the table of who is not the owner, where lists are judged differently
    for them.
    """

    rules: PolicyRules
    tools: tuple[tuple[str, str | None], ...]
    present: Present
    names: tuple[str, ...]
    known_keys: frozenset[str]
    _index: dict[str, int]
    _rows: dict[tuple[str | None, Keys], _Row] = field(default_factory=dict)
    _groups: dict[str | None, Verdicts | None] = field(default_factory=dict)
    _applied: dict[Step, Verdicts] = field(default_factory=dict)
    others: PolicyTable | None = None

    def keys_of(self, provider: str | None, model: str | None) -> Keys:
        """The keys of a provider and a model that the ruleset knows, in the order of their lookup."""
        candidates = provider_keys(provider, model, compat=self.rules.compat)
        return tuple(key for key in candidates if key in self.known_keys)

    def cell(self, tool: str, agent: str | None = None, group: str | None = None, keys: Keys = ()) -> Decision:
        """The answer of the seven steps for one cell. Raises ``KeyError`` for a tool that is not in the table."""
        index = self._index.get(tool)
        if index is None:
            index = self._index[normal_name(tool)]
        row = self._rows.get((agent, keys)) or self._row(agent, keys)
        decision = row.decisions[index]
        if not decision.allowed or group is None:
            return decision
        verdicts = self._of_group(group)
        return decision if verdicts is None else after(decision, verdicts.decisions[index])

    def decide(self, where: Where) -> tuple[Decision, ...]:
        """The answer for every tool, in the order of the tools, with the policies of owner, sandbox and subagent."""
        if self.others is not None and not where.sender_is_owner:
            return self.others.decide(where)
        keys = self.keys_of(where.provider, where.model)
        decisions = (self._rows.get((where.agent, keys)) or self._row(where.agent, keys)).decisions
        if not where.sender_is_owner:
            decisions = tuple(_OWNERS if n in OWNER_ONLY else d for n, d in zip(self.names, decisions, strict=True))
        verdicts = self._of_group(where.group)
        for further in (verdicts, *map(self._verdicts, self._limits(where))):
            decisions = decisions if further is None else combine(decisions, further.decisions)
        return decisions

    def allowed(self, where: Where) -> tuple[str, ...]:
        """The tools that exist, by the names that they were given with, in order."""
        return tuple(name for (name, _), d in zip(self.tools, self.decide(where), strict=True) if d.allowed)

    def verdicts(self, agent: str | None = None, group: str | None = None, keys: Keys = ()) -> tuple[Verdicts, ...]:
        """What each of the seven steps says that has a policy, in order."""
        row = self._rows.get((agent, keys)) or self._row(agent, keys)
        last = self._of_group(group)
        return row.verdicts if last is None else (*row.verdicts, last)

    def notes(self, where: Where) -> tuple[Note, ...]:
        """What is to be said of the lists that were asked, in the order of the steps."""
        if self.others is not None and not where.sender_is_owner:
            return self.others.notes(where)
        keys = self.keys_of(where.provider, where.model)
        return tuple(note for verdicts in self.verdicts(where.agent, where.group, keys) for note in verdicts.notes)

    def foreseen(self) -> Iterator[tuple[str | None, Keys]]:
        """Every agent, with no provider and with each key of the ruleset."""
        for agent in (None, *self.rules.agents):
            yield agent, ()
            for key in sorted(self.known_keys):
                wider = key.partition("/")[0]
                yield agent, (key, wider) if wider != key and wider in self.known_keys else (key,)

    def _row(self, agent: str | None, keys: Keys) -> _Row:
        own = agent if agent in self.rules.agents else None
        if own != agent and (row := self._rows.get((own, keys))) is not None:
            return row
        verdicts = tuple(self._verdicts(step) for step in steps_of(self.rules, own, keys))
        decisions: tuple[Decision, ...] = (UNRULED,) * len(self.names)
        for one in verdicts:
            decisions = combine(decisions, one.decisions)
        return self._rows.setdefault((own, keys), _Row(decisions, verdicts))

    def _of_group(self, group: str | None) -> Verdicts | None:
        return self._groups.get(group, self._groups.get(ANY_GROUP)) if group is not None else None

    def _verdicts(self, step: Step) -> Verdicts:
        if (made := self._applied.get(step)) is None:
            made = self._applied[step] = apply(step, self.names, self.present, compat=self.rules.compat)
        return made

    def _limits(self, where: Where) -> Iterator[Step]:
        if where.sandbox:
            yield sandbox_step(self.rules, where.agent)
        if where.depth:
            yield subagent_step(self.rules, leaf=is_leaf(self.rules, where.depth if where.depth > 0 else 1))


def compile_policy(
    rules: PolicyRules,
    tools: Iterable[tuple[str, str | None]],
    plugins: Iterable[str] = (),
    *,
    partial: bool = False,
) -> PolicyTable:
    """The table of a ruleset's policy for tools, given as pairs of a name and a plugin's id (None: no plugin).

    ``plugins``: ids of further plugins; ``partial``: they may bring tools that are not among these.
    """
    listed = tuple(tools)
    present = Present.of(listed, plugins, partial=partial)
    if not rules.compat or present.core.isdisjoint(OWNER_ONLY):
        return _filled(rules, listed, present, None)
    # The original takes the owner's tools away before it looks at a list, which may hold no core tool then.
    without = replace(present, core=present.core - OWNER_ONLY)
    return _filled(rules, listed, present, _filled(rules, listed, without, None))


def _filled(
    rules: PolicyRules, tools: tuple[tuple[str, str | None], ...], present: Present, others: PolicyTable | None
) -> PolicyTable:
    """A table with the rows that its ruleset foresees."""
    names = tuple(normal_name(name) for name, _ in tools)
    index = {name: i for i, name in reversed(list(enumerate(names)))}
    known = frozenset(key for scope in rules.scopes for key in scope.by_provider)
    table = PolicyTable(rules, tools, present, names, known, index, others=others)
    for agent, keys in table.foreseen():
        table._row(agent, keys)
    for group, scope in rules.groups.items():
        steps = list(group_step(scope))
        table._groups[group] = table._verdicts(steps[0]) if steps else None
    return table
