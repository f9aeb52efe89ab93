"""Runs a scenario file from its bytes to a verdict: read, load its ruleset, play, compare."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from ...compiler.diagnostics import Diagnostic
from ...compiler.documents import Document, resolve
from ...compiler.load import CompileError, check_chain, load_program
from ...compiler.problem import Problem
from ...compiler.reading import read_source
from ...compiler.recognise import is_scenario
from ..values import Format
from .compare import Difference, compare
from .load import ScenarioFile, read_scenario_file
from .model import ScenarioError
from .played import Played
from .run import play

#: How the files of scenarios end.
SUFFIXES = (".yaml", ".yml", ".json")


@dataclass(frozen=True, slots=True)
class Run:
    """A scenario file, played. ``played`` is None when ``diagnostics`` say why it could not be."""

    file: ScenarioFile
    played: Played | None
    diagnostics: tuple[Diagnostic, ...]
    differences: tuple[Difference, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether it was played and every expectation held."""
        return self.played is not None and not self.differences


def run_scenario(
    path: Path,
    data: bytes,
    *,
    ruleset: str | None = None,
    format: Format = "openai",
    whole: int | None = None,
) -> Run:
    """Play the scenario in ``data``; ``path`` is its file, ``ruleset`` takes the place of the one it names.

    ``whole``: of how many of the last steps all is kept that was played (see ``play``; None: of all).
    Raises CompileError when ``ruleset`` cannot be loaded.
    """
    file = read_scenario_file(str(path), data)
    if file.scenario is None:
        return Run(file, None, file.diagnostics())
    program = load_program(ruleset) if ruleset else None
    try:
        program = program or load_program(file.scenario.ruleset, folder=path.parent)
        played = play(file.scenario, program, format=format, whole=whole)
    except CompileError as error:
        return Run(file, None, _ruleset_findings(file, path.parent, error))
    except ScenarioError as error:
        return Run(file, None, file.diagnostics(error.problems))
    return Run(file, played, (), compare(file.scenario, played))


def _ruleset_findings(file: ScenarioFile, folder: Path, error: CompileError) -> tuple[Diagnostic, ...]:
    """What is wrong with the ruleset of a scenario; an inline one is shown where the scenario has it."""
    ruleset = file.scenario.ruleset if file.scenario else None
    written = file.source.under(("ruleset",))
    if isinstance(ruleset, Mapping) and written is not None:
        return check_chain(resolve(Document(written, "inline", ruleset), folder)).diagnostics
    problem = Problem("bad-ruleset", error.message, ("ruleset",), error.help)
    return error.diagnostics or file.diagnostics((problem,))


def scenario_files(folder: Path) -> Iterator[Path]:
    """The scenario files under a folder, by name: YAML or JSON files with ``steps`` at the top."""
    for path in sorted(folder.rglob("*")):
        hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
        if not hidden and path.suffix.lower() in SUFFIXES and path.is_file() and is_scenario(read_source(path)):
            yield path
