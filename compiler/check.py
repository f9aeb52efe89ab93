"""What a check is, how the checks are found, and what they are given.

A check is a module of ``compiler/checks`` with a ``CHECK`` and a ``run(context)`` that yields diagnostics.
Its docstring is its page (`dcc explain`). It speaks key paths, never line numbers. Adding one needs no list.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Literal, Protocol, cast

from ..grammar.ast import Severity
from ..grammar.spans import Span
from . import checks
from .diagnostics import Diagnostic, Edit, Fix, Position, Related, Witness
from .documents import Chain, Document
from .facts.matches import untaken
from .facts.rows import element_table
from .facts.tools import policy_table
from .ir.ruleset import Ruleset
from .policy.table import PolicyTable
from .problem import Around, At, KeyPath, Mend, Problem
from .program import ElementRow

if TYPE_CHECKING:
    from .ops.resolve import ResolvedOps

#: What checks are about. ``scenario``: they read scenario files, ``ops``: files of operations, all others rulesets.
Kind = Literal["form", "time", "patches", "provider", "growth", "sections", "scenario", "ops"]


@dataclass(frozen=True, slots=True)
class Check:
    """The identity of a check: a stable code, a kebab-case name, how grave its findings are.

    ``since`` is the version of dcc that had it first.
    """

    code: str
    name: str
    severity: Severity
    kind: Kind = "form"
    since: str = "0.1.0"


class CheckModule(Protocol):
    """A module of ``compiler/checks``."""

    CHECK: Check
    __doc__: str | None

    def run(self, context: Context) -> Iterator[Diagnostic]:
        """Yield what is found."""


@cache
def all_checks() -> tuple[CheckModule, ...]:
    """Every check that there is, by code."""
    from .checks import ops

    return _by_code((*_modules(checks), *_modules(ops)))


@cache
def ruleset_checks() -> tuple[CheckModule, ...]:
    """The checks of rulesets, by code. Those of operations, which few runs need, are not imported for them."""
    return _by_code(module for module in _modules(checks) if module.CHECK.kind != "scenario")


def _modules(folder: ModuleType) -> Iterator[CheckModule]:
    for module in pkgutil.iter_modules(folder.__path__):
        if not module.ispkg:
            yield cast(CheckModule, import_module(f"{folder.__name__}.{module.name}"))


def _by_code(modules: Iterable[CheckModule]) -> tuple[CheckModule, ...]:
    return tuple(sorted(modules, key=lambda module: module.CHECK.code))


@cache
def check_codes() -> Mapping[str, str]:
    """The code of every check, by its code and by its name, both in lower case."""
    checks = [module.CHECK for module in all_checks()]
    return {word: check.code for check in checks for word in (check.code.lower(), check.name)}


@dataclass(frozen=True)
class Subject:
    """What is checked: the chain of its texts, and the problems that earlier passes found in them."""

    chain: Chain
    problems: Sequence[tuple[Document, Problem]]

    def found(self, check: Check) -> Iterator[Diagnostic]:
        """The problems that an earlier pass found under this check's name."""
        for document, problem in self.problems:
            if problem.name == check.name:
                yield self._diagnostic(check, document, problem)

    def report(
        self,
        check: Check,
        path: KeyPath,
        message: str,
        *,
        help: str,
        on: Literal["key", "value"] = "value",
        within: Span | None = None,
        related: tuple[tuple[str, KeyPath], ...] = (),
        mends: tuple[Mend, ...] = (),
        witness: Witness | None = None,
    ) -> Iterator[Diagnostic]:
        """A finding at a key path; nothing when a value on the way or under it was already refused."""
        if any(_overlap(path, broken) for _, p in self.problems if isinstance(broken := p.where, tuple)):
            return
        problem = Problem(check.name, message, path, help=help, on=on, within=within, mends=mends)
        diagnostic = self._diagnostic(check, self.chain.owner(path), problem)
        places = tuple(self._related(text, place) for text, place in related)
        yield replace(diagnostic, related=places, witness=witness)

    def _related(self, message: str, path: KeyPath) -> Related:
        document = self.chain.owner(path)
        start, end = _place(document, document.source.span(path, "key"))
        return Related(message, document.source.path, start, end)

    def _diagnostic(self, check: Check, document: Document, problem: Problem) -> Diagnostic:
        source = document.source
        where = problem.where
        span = where if isinstance(where, Span) else source.span(where, problem.on, problem.within)
        start, end = _place(document, span)
        return Diagnostic(
            code=check.code,
            name=check.name,
            severity=check.severity,
            message=problem.message,
            path=source.path,
            start=start,
            end=end,
            related=tuple(Related(m, source.path, *_place(document, s)) for m, s in problem.related),
            help=problem.help,
            fixes=tuple(fix for mend in problem.mends if (fix := _fix(document, mend)) is not None),
        )


@dataclass(frozen=True)
class Context(Subject):
    """What a check of rulesets may look at: the IR of what fits, and facts that hold of it.

    ``ops``: the operations that it names; None when it names none.
    """

    ruleset: Ruleset
    ops: ResolvedOps | None = None

    @cached_property
    def rows(self) -> Mapping[str, ElementRow]:
        """The element table, as far as the rules can be lowered: what facts are proved from."""
        return element_table(self.ruleset)

    @cached_property
    def policy(self) -> PolicyTable:
        """Which of the tools that are known exist for each agent, group and provider."""
        return policy_table(self.ruleset, self.rows)

    @cached_property
    def untaken(self) -> frozenset[str]:
        """The rows whose rule no slot ever follows."""
        return untaken(self.rows.values())


def _place(document: Document, span: Span) -> tuple[Position, Position]:
    return document.source.position(span.start), document.source.position(span.end)


def _fix(document: Document, mend: Mend) -> Fix | None:
    """The mend with its places in the text; None when the text does not hold one of them."""
    edits = [_edit(document, place, text) for place, text in mend.edits]
    return Fix(mend.title, mend.safe, tuple(edit for edit in edits if edit)) if all(edits) else None


def _edit(document: Document, place: Span | At, text: str | Around) -> Edit | None:
    source = document.source
    span = source.scalar_span(place.path, place.on) if isinstance(place, At) else place
    if span is None:
        return None
    old = source.text[span.start : span.end]
    if isinstance(text, Around):
        text = f"{text.before}{old}{text.after}"
    elif isinstance(place, At) and place.quoted and old[:1] in ("'", '"'):
        text = f"{old[0]}{text}{old[0]}"
    return Edit(*_place(document, span), text)


def _overlap(path: KeyPath, broken: KeyPath) -> bool:
    """Whether one of two key paths leads to the other; the root leads nowhere in particular."""
    shorter = min(len(path), len(broken))
    return shorter > 0 and path[:shorter] == broken[:shorter]
