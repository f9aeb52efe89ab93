"""From a scenario file to a Scenario, with the source map that gives every problem its place."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ...compiler.compose import compose, decode, too_deep
from ...compiler.construct import construct
from ...compiler.diagnostics import Diagnostic, sort_diagnostics
from ...compiler.problem import KeyPath, Problem
from ...compiler.recognise import is_ours
from ...compiler.source import SourceMap
from ...grammar.spans import Span
from .model import Scenario, ScenarioError
from .read import read_scenario


@dataclass(frozen=True, slots=True)
class ScenarioFile:
    """A file that was read; ``scenario`` is None when it has problems."""

    path: str
    source: SourceMap
    scenario: Scenario | None
    problems: tuple[Problem, ...]

    def diagnostics(self, problems: Iterable[Problem] | None = None) -> tuple[Diagnostic, ...]:
        """The problems of reading, or those found while playing, as diagnostics with their places."""
        found = self.problems if problems is None else problems
        return sort_diagnostics(self._diagnostic(problem) for problem in found)

    def line_of(self, path: KeyPath) -> int:
        """The line (from 1) on which the value of a key path stands."""
        return self.source.position(self.source.span(path, on="key").start).line

    def _diagnostic(self, problem: Problem) -> Diagnostic:
        where = problem.where
        span = where if isinstance(where, Span) else self.source.span(where, on=problem.on)
        return Diagnostic(
            code=problem.name,
            name=problem.name,
            severity="error",
            message=problem.message,
            path=self.path,
            start=self.source.position(span.start),
            end=self.source.position(span.end),
            help=problem.help,
        )


def read_scenario_file(path: str, data: bytes) -> ScenarioFile:
    """Read a scenario. ``path`` is how people know the file; it is JSON when that ends with ``.json``."""
    text, problems = decode(data)
    source = SourceMap(path, text, None)
    if problems:
        return ScenarioFile(path, source, None, tuple(problems))
    root, problems = compose(text)
    source = SourceMap(path, text, root)
    if path.lower().endswith(".json"):
        # JSON is read by its own rules; YAML's tree, where there is one, only serves for the places.
        value, problems = _from_json(text)
    elif not problems:
        value, problems = construct(source)
    if not problems:
        try:
            return ScenarioFile(path, source, read_scenario(value), ())
        except ScenarioError as error:
            problems = [_ruleset_here()] if _is_ruleset(value, data) else list(error.problems)
    return ScenarioFile(path, source, None, tuple(problems))


def _is_ruleset(value: Any, data: bytes) -> bool:
    return isinstance(value, dict) and "steps" not in value and is_ours(data)


def _ruleset_here() -> Problem:
    help = "check it with `dcc check`; a scenario names it by `ruleset:` and has `steps:`, such as `- user: hello`"
    return Problem("missing-key", "this is a ruleset, and no scenario", (), help)


def _from_json(text: str) -> tuple[Any, list[Problem]]:
    try:
        return json.loads(text, object_pairs_hook=_no_duplicates), []
    except json.JSONDecodeError as error:
        where = Span(error.pos, min(error.pos + 1, len(text)))
        return None, [Problem("json-syntax", f"this is not valid JSON: {error.msg}", where,
                              "check the text just before this place")]  # fmt: skip
    except ScenarioError as error:
        return None, list(error.problems)
    except RecursionError:
        return None, [too_deep(Span(0, 0))]


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        names = [key for key, _ in pairs]
        twice = next(key for key in names if names.count(key) > 1)
        problem = Problem("duplicate-key", f"the key `{twice}` stands twice in one mapping", Span(0, 0),
                          "keep one of them")  # fmt: skip
        raise ScenarioError((problem,))
    return values
