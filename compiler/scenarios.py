"""Checking a scenario file before it is played: its shape, and what can be known of its steps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, cast

from .check import Check, Subject, all_checks, ruleset_checks
from .diagnostics import Diagnostic, sort_diagnostics
from .documents import Chain, Document, read_text, read_values, resolve
from .ir.build import build
from .ir.scenario import ScenarioFile
from .load import CheckResult, CompileError, check_chain, find_ruleset, read_ruleset
from .problem import Problem, quote
from .program import Program
from .suppression import suppress


@dataclass(frozen=True)
class ScenarioContext(Subject):
    """What a check of scenarios may look at. ``program``: its ruleset's, None when that has errors.

    ``unread``: why the ruleset could not be read.
    """

    scenario: ScenarioFile
    program: Program | None
    unread: CompileError | None = None

    def turns(self) -> Iterator[int]:
        """For each step the most turns that can have begun when it is over."""
        begun = 0
        for step in self.scenario.steps:
            is_read = step.typed and isinstance(step.user, str)
            begun += self._begins_turn(step.user) if is_read else isinstance(step.user, str | list)
            yield begun

    def _begins_turn(self, text: str) -> bool:
        if self.program is None:
            return True
        # The grammar of messages is only needed for scenarios, and a ruleset is checked far more often.
        from ..grammar.message import parse_message

        message = parse_message(text, self.program.vocabulary)
        return message.command is None and not message.is_bare


class ScenarioCheck(Protocol):
    """A module of ``compiler/checks`` whose kind is scenario."""

    CHECK: Check

    def run(self, context: ScenarioContext) -> Iterator[Diagnostic]:
        """Yield what is found."""


def check_scenario(path: str, text: str | bytes) -> CheckResult:
    """Check a scenario, and its ruleset where it stands in the same file. ``path`` names the file.

    The result holds no Program: a scenario is played, not compiled.
    """
    document = _read(path, text)
    folder = Path(path).parent
    ruleset = document.data.get("ruleset", "standard")
    program, inside, unread = _ruleset(document, ruleset, folder)
    scenario, shape = build(ScenarioFile, document.data)
    problems = [(document, problem) for problem in (*document.problems, *shape)]
    context = ScenarioContext(Chain((document,), document.data), problems, scenario, program, unread)
    found = [d for module in ruleset_checks() for d in context.found(module.CHECK)]
    for module in all_checks():
        if module.CHECK.kind == "scenario":
            found += cast(ScenarioCheck, module).run(context)
    kept, silenced = suppress(context.chain, sort_diagnostics([*found, *inside]))
    return CheckResult(kept, silenced)


def _read(path: str, text: str | bytes) -> Document:
    """The document of a scenario. JSON is read as the YAML that it is."""
    source, data, problems = read_values(path, text)
    if not isinstance(data, dict):
        if not problems:
            message = f"a scenario is a mapping with `steps`, this is {quote(data)}"
            problems.append(Problem("wrong-type", message, (), help="start with `steps:`"))
        data = {}
    return Document(source, Path(path).stem, data, tuple(problems))


def _ruleset(
    document: Document, ruleset: Any, folder: Path
) -> tuple[Program | None, tuple[Diagnostic, ...], CompileError | None]:
    """The Program of a scenario's ruleset, the findings inside the file, and why it could not be read.

    A scenario has a few turns: what its own rules would cost in a long session is nothing to it.
    """
    if isinstance(ruleset, Mapping):
        written = document.source.under(("ruleset",)) or document.source
        result = check_chain(resolve(Document(written, "inline", ruleset), folder))
        costs = {module.CHECK.code for module in ruleset_checks() if module.CHECK.kind == "growth"}
        return result.program, tuple(d for d in result.diagnostics if d.code not in costs), None
    if not isinstance(ruleset, str):
        return None, (), None
    path = find_ruleset(ruleset, folder)
    try:
        found = check_chain(resolve(read_text(str(path), read_ruleset(path, ruleset)), path.parent, path))
    except CompileError as error:
        return None, (), error
    return found.program, (), None
