"""Checking a ``*.ops`` file by itself: what its checks are given, and the findings."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol, cast

from ...grammar.spans import Span
from ..check import Check, Subject, all_checks
from ..diagnostics import Diagnostic, sort_diagnostics
from ..documents import Chain, shipped_ops_names
from ..load import CheckResult
from ..problem import Mend, Problem, quote
from ..suppression import suppress

if TYPE_CHECKING:
    from .compile import CompiledOp
    from .source import OpsFile


@dataclass(frozen=True)
class OpsContext(Subject):
    """What a check of files of operations may look at."""

    file: OpsFile

    @property
    def sound(self) -> Iterator[CompiledOp]:
        """The ops in which nothing is wrong: what is proved of others would be proved of something else."""
        starts = sorted(problem.where.start for problem in self.file.problems if isinstance(problem.where, Span))
        for compiled in self.file.ops:
            own = compiled.syntax.span
            if bisect_left(starts, own.start) == bisect_left(starts, own.end):
                yield compiled

    def at(self, check: Check, span: Span, message: str, help: str, *mends: Mend) -> Diagnostic:
        """A finding at a place in the text."""
        problem = Problem(check.name, message, span, help=help, mends=mends)
        (found,) = replace(self, problems=[(self.file.document, problem)]).found(check)
        return found


class OpsCheck(Protocol):
    """A module of ``compiler/checks`` whose kind is ops."""

    CHECK: Check

    def run(self, context: OpsContext) -> Iterator[Diagnostic]:
        """Yield what is found."""


def check_ops(path: str, text: str | bytes) -> CheckResult:
    """Check the text of a file of operations. ``path`` names it. The result holds no Program."""
    from .source import read_ops_file

    file = read_ops_file(path, text)
    document = file.document
    problems = [(document, problem) for problem in (*file.faults, *_reversals(file))]
    if not file.ops and not file.faults:
        help = 'write `op name { "what it does" ids: slots effect hold archived }`'
        problems.append((document, Problem("ops-empty", "the file declares no operation", Span(0, 0), help=help)))
    context = OpsContext(Chain((document,), {}), problems, file)
    found: list[Diagnostic] = []
    for module in all_checks():
        if module.CHECK.kind == "ops":
            found += cast(OpsCheck, module).run(context)
        else:
            found += context.found(module.CHECK)
    kept, silenced = suppress(context.chain, sort_diagnostics(found))
    return CheckResult(kept, silenced)


def _reversals(file: OpsFile) -> Iterator[Problem]:
    """The reversals that are declared neither here nor in what ships."""
    unknown = [name for compiled in file.ops for name in compiled.syntax.reverses if name.text not in file.table]
    known = _shipped_ops() if unknown else frozenset()
    for name in unknown:
        if name.text not in known:
            message = f"{quote(name.text)} is no operation of this file or of a shipped one"
            help = "declare it, or name the file that does before this one under `governance.ops`"
            yield Problem("ops-reverse", message, name.span, help=help)


def _shipped_ops() -> frozenset[str]:
    from .resolve import shipped_ops

    files = [file for name in shipped_ops_names() if (file := shipped_ops(name)) is not None]
    return frozenset(op for file in files for op in file.table)
