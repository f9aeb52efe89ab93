"""The Program: a compiled ruleset as tables. Nothing here is parsed or matched by name at run time.

A Program is made by ``lower`` and read back from its JSON by ``Program.from_json``; both give equal values.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from ..grammar.ast import BORN, OPEN, Bound, Vocabulary
from .policy.rules import PolicyRules, policy_rules

if TYPE_CHECKING:
    from .ops.model import OpTable

Retire = Literal["drop", "offload", "stub"]
Role = Literal["system", "user", "assistant", "tool"]

#: Roles that a provider protocol itself gives (language.md section 1, "Roles").
BUILT_IN_ROLES: Mapping[str, Role] = {
    "system": "system",
    "user": "user",
    "assistant": "assistant",
    "think": "assistant",
    "toolCall": "assistant",
    "toolResult": "tool",
}
#: The same under ``roles: python``, whose original knows three names and no think or toolCall role.
PYTHON_ROLES: Mapping[str, Role] = {
    "system": "system",
    "user": "user",
    "assistant": "assistant",
    "toolResult": "tool",
}
#: Elements whose content stands without a first line ``[element]`` (language.md section 1, "Roles").
UNLABELLED = frozenset({"user", "assistant", "think", "system", "toolResult"})


#: The element of the summaries that operations bear (spec/cpat.md section 8).
SUMMARY = "summary"


@dataclass(frozen=True, slots=True)
class Rule:
    """A life cycle: ``[start, end]``, copied into a slot at its birth."""

    start: Bound = BORN
    end: Bound = OPEN


@dataclass(frozen=True, slots=True)
class Match:
    """One ``match`` field of a refinement: ``field`` (tool, is_error, args.<path>, tokens), test and values.

    ``test`` is ``equal`` (any of ``values``), ``regex`` (values[0], linear time) or ``at_least`` (values[0]).
    """

    field: str
    test: Literal["equal", "regex", "at_least"]
    values: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class ElementRow:
    """A row of the element table: an element or a refinement (``of`` set)."""

    name: str
    rule: Rule = Rule()
    of: str | None = None
    match: tuple[Match, ...] = ()
    key: str | None = None
    retire: Retire = "drop"
    keep_last: int = 0
    at_most: int | None = None
    supersede: bool = False
    min_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Settle:
    """When due closes and retirements are carried out together (``every`` calls, ``min_tokens`` tokens)."""

    every: int = 1
    min_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Template:
    """A checked template: ``plain`` knows ``{element}`` and ``{content}``, ``jinja`` is sandboxed Jinja2."""

    style: Literal["plain", "jinja"]
    source: str


@dataclass(frozen=True, slots=True)
class Program:
    """A compiled ruleset.

    ``elements``: element table by name, refinements in file order after their base's elements.
    ``roles``: explicit roles by element. ``python_roles``: the top-level ``roles: python`` switch.
    ``ending_template``: the compiled ``patch_end`` template; None: endings are off.
    ``folds``: the elements that a collapse holds (compact.fields); None: no compact section.
    ``events``: event name to the elements whose open end it closes.
    ``sections``: every other section of the ruleset as plain, checked data (for the systems that use them).
    ``ops``: the operations that a model may use; None: the ruleset names none.
    ``digest``: hex SHA-256 of the sources. ``places``: where each written row stands (``coding.yaml:17``).
    """

    name: str
    digest: str
    elements: Mapping[str, ElementRow]
    roles: Mapping[str, Role] = field(default_factory=dict)
    python_roles: bool = False
    ending_template: Template | None = None
    folds: tuple[str, ...] | None = None
    events: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    settle: Settle | None = None
    required_elements: tuple[str, ...] = ()
    patchable: frozenset[str] = frozenset()
    declared: frozenset[str] = frozenset()
    sections: Mapping[str, Any] = field(default_factory=dict)
    places: Mapping[str, str] = field(default_factory=dict)
    ops: OpTable | None = None

    @property
    def vocabulary(self) -> Vocabulary:
        """What the message grammar must know of this ruleset."""
        refinements = frozenset(row.name for row in self.elements.values() if row.of is not None)
        return Vocabulary(declared=self.declared, patchable=self.patchable, refinements=refinements)

    def row(self, element: str) -> ElementRow:
        """The row of an element or refinement; an undeclared element lives ``[born, null]``."""
        return self.elements.get(element) or ElementRow(element)

    def base_of(self, element: str) -> str:
        """The element that a slot keeps when a refinement takes it; any other name is its own base."""
        of = self.row(element).of
        if of is None:
            return element
        return "toolCall" if of == "chain" else of

    def role_of(self, element: str) -> Role:
        """The message role of an element: declared, else built in, else ``user`` (language.md "Roles")."""
        base = self.base_of(element)
        if base in self.roles:
            return self.roles[base]
        if self._is_summary(base):
            return "assistant"
        if self.python_roles:
            return PYTHON_ROLES.get(base, "system")
        return BUILT_IN_ROLES.get(base, "user")

    def labelled(self, element: str) -> bool:
        """Whether the content gets a first line ``[element]`` (language.md section 1, "Roles")."""
        base = self.base_of(element)
        if self._is_summary(base):
            return False
        if self.python_roles:
            return base not in self.roles and base not in PYTHON_ROLES
        return base not in UNLABELLED

    @property
    def policy(self) -> PolicyRules:
        """Which tools exist, and for whom: compiled to a table for the tools of a run (``policy/table``)."""
        offloads = any(row.retire == "offload" for row in self.elements.values())
        return policy_rules(self.sections, offloads=offloads)

    def _is_summary(self, base: str) -> bool:
        """Whether slots of the element are what operations make of others: said by the model, without a label."""
        return base == SUMMARY and self.ops is not None

    def refinements_of(self, base: str) -> tuple[ElementRow, ...]:
        """The refinements of toolResult, toolCall or chain, in file order."""
        return tuple(row for row in self.elements.values() if row.of == base)

    def to_json(self) -> str:
        """Stable JSON: sorted keys, one document, readable by ``from_json`` without YAML or Lark."""
        from .program_json import dump_program

        return dump_program(self)

    @staticmethod
    def from_json(text: str) -> Program:
        """Read back what ``to_json`` wrote. Raises ``DccError`` (``bad_program``) on anything else."""
        from .program_json import read_program

        return read_program(text)
