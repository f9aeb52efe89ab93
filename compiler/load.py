"""The compiler's front door: a ruleset by name, path or mapping -> diagnostics and a Program."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..grammar.errors import DccError
from .check import Context, ruleset_checks
from .diagnostics import Diagnostic, has_errors, sort_diagnostics
from .documents import Chain, Document, read_mapping, read_text, resolve, shipped_names, shipped_path
from .ir.build import build_ruleset, value_at
from .ir.ruleset import Ruleset
from .lower import lower
from .mending import BOOLEANS
from .problem import KeyPath, Problem, nearest, one_of
from .program import Program
from .reading import read_source
from .reason import reason_of
from .recognise import is_ops
from .suppression import suppress

if TYPE_CHECKING:
    from .ops.resolve import ResolvedOps

#: Where a ruleset names its operations.
PATH_OF_OPS: KeyPath = ("governance", "ops")


class CompileError(DccError):
    """A ruleset with errors, or one that cannot be read. ``diagnostics`` holds every finding, sorted."""

    def __init__(
        self, code: str, message: str, *, diagnostics: tuple[Diagnostic, ...] = (), help: str | None = None
    ) -> None:
        super().__init__(code, message, help=help)
        self.diagnostics = diagnostics


@dataclass(frozen=True)
class CheckResult:
    """What came of checking one file: the findings.

    ``silenced`` are findings that a comment asks not to be told; ``compile`` makes the Program of a ruleset without
    errors.
    """

    diagnostics: tuple[Diagnostic, ...]
    silenced: tuple[Diagnostic, ...] = ()
    compile: Callable[[], Program] | None = None

    @cached_property
    def program(self) -> Program | None:
        """The Program when it is a ruleset without errors, else None; made when it is first asked for."""
        return self.compile() if self.compile is not None else None


def load_program(ruleset: str | Path | Mapping[str, Any], *, folder: Path | None = None) -> Program:
    """The Program of a ruleset: a shipped name, a path, or a mapping.

    ``folder`` is where relative paths start (default: the current folder). Raises ``CompileError`` with
    ``.diagnostics`` for a ruleset with errors (``bad_ruleset``) or one that cannot be read (``no_ruleset``).
    """
    start = folder if folder is not None else Path()
    if isinstance(ruleset, Mapping):
        document, home, own = read_mapping(ruleset), start, None
    else:
        own = find_ruleset(ruleset, start)
        document, home = read_text(str(own), read_ruleset(own, ruleset)), own.parent
    result = check_chain(resolve(document, home, own))
    if result.program is None:
        if not isinstance(ruleset, Mapping):
            _refuse_others(ruleset, document)
        raise CompileError("bad_ruleset", _summary(result.diagnostics), diagnostics=result.diagnostics)
    return result.program


def check_source(path: str, text: str | bytes) -> CheckResult:
    """Check the text of a ruleset. ``path`` names it; what it extends is looked for beside it.

    What its comments ask not to be told is silenced; an error among it is still one.
    """
    own = Path(path)
    chain = resolve(read_text(path, text), own.parent, own)
    result = check_chain(chain)
    kept, silenced = suppress(chain, result.diagnostics)
    return replace(result, diagnostics=kept, silenced=silenced)


def find_ruleset(ruleset: str | Path, folder: Path) -> Path:
    """The file of a shipped name or a path. A bare shipped name wins over a file of that name."""
    shipped = shipped_path(ruleset) if isinstance(ruleset, str) else None
    return shipped if shipped is not None else folder / ruleset


def check_chain(chain: Chain) -> CheckResult:
    """Check a resolved ruleset: problems of reading, of shape, then what the rules mean."""
    problems = [(document, problem) for document in chain.documents for problem in document.problems]
    ruleset, shape = build_ruleset(chain.data)
    problems = _placed(chain, shape, problems)
    ops = _ops(chain, ruleset)
    if ops is not None:
        problems += [(chain.owner(PATH_OF_OPS), problem) for problem in ops.problems]
    context = Context(chain, problems, ruleset, ops)
    diagnostics = sort_diagnostics(d for check in ruleset_checks() for d in check.run(context))
    if has_errors(diagnostics):
        return CheckResult(diagnostics)
    return CheckResult(diagnostics, compile=partial(_program, chain, ruleset, ops))


def _program(chain: Chain, ruleset: Ruleset, ops: ResolvedOps | None) -> Program:
    """The Program of a ruleset without errors."""
    digest = chain.digest_with(ops.sources if ops is not None else ())
    table = ops.table if ops is not None else None
    program = lower(ruleset, name=ruleset.name or chain.main.stem, digest=digest, ops=table)
    return replace(program, places=_places(chain, ruleset.life_cycle))


def _ops(chain: Chain, ruleset: Ruleset) -> ResolvedOps | None:
    """The operations that ``governance.ops`` names; None when it names none."""
    if ruleset.governance is None or not ruleset.governance.ops:
        return None
    # Most rulesets name none: they need not wait for the parser that this imports.
    from .ops.resolve import resolve_ops

    written = chain.data["governance"]["ops"]
    return resolve_ops(ruleset.governance.ops, chain.folder_of(PATH_OF_OPS), written)


def _places(chain: Chain, elements: Iterable[str]) -> dict[str, str]:
    """Where the rows of elements are written: the file's name and the line. What is in no file has no place."""
    places: dict[str, str] = {}
    for element in elements:
        path = ("life_cycle", element)
        source = chain.owner(path).source
        if not source.path.startswith("<"):
            places[element] = f"{Path(source.path).name}:{source.position(source.span(path, 'key').start).line}"
    return places


def _placed(
    chain: Chain, shape: list[Problem], known: list[tuple[Document, Problem]]
) -> list[tuple[Document, Problem]]:
    """The known problems, then those of shape with the document that holds them.

    A place is told of once. Text refused by its shape too is not mended by quotes: those mends come last. A word for
    a boolean is mended by what its shape takes, which need not be one.
    """
    taken = {(document.source.path, p.where): i for i, (document, p) in enumerate(known)}
    placed = list(known)
    for problem in shape:
        assert isinstance(problem.where, tuple)
        document = chain.owner(problem.where)
        index = taken.get((document.source.path, document.source.span(problem.where, problem.on)))
        if index is None:
            placed.append((document, problem))
        elif (first := known[index][1]).name == "yaml-surprise":
            is_boolean = any(mend.title in {m.title for m in first.mends} for mend in problem.mends)
            if str(value_at(chain.data, problem.where)).lower() in BOOLEANS and not is_boolean:
                placed[index] = (document, replace(first, help=problem.help, mends=problem.mends))
            else:
                placed[index] = (document, replace(first, mends=(*first.mends[1:], *first.mends[:1])))
    return placed


def read_ruleset(path: Path, ruleset: str | Path) -> bytes:
    """The bytes of a ruleset file; ``ruleset`` is what was asked for. Raises ``CompileError`` (``no_ruleset``)."""
    try:
        return read_source(path)
    except (OSError, ValueError) as error:
        near = nearest(str(ruleset), shipped_names())
        mend = f"did you mean `{near}`?" if near else f"the shipped rulesets are {one_of(shipped_names())}"
        message = f"cannot read ruleset {ruleset}: {reason_of(error)}"
        raise CompileError("no_ruleset", message, help=mend) from error


def _refuse_others(ruleset: str | Path, document: Document) -> None:
    """Tell a scenario and a file of operations by what they are: as rulesets they have nothing but unknown keys."""
    if "steps" in document.data:
        help = "name the ruleset that it is played under; dcc play and dcc test take the scenario"
        raise CompileError("bad_ruleset", f"{ruleset} is a scenario, and no ruleset", help=help)
    if is_ops(document.source.text.encode()):
        help = f"a ruleset names it: governance: {{ops: [{ruleset}]}}; dcc ops shows what it declares"
        raise CompileError("bad_ruleset", f"{ruleset} is a file of operations, and no ruleset", help=help)


def _summary(diagnostics: tuple[Diagnostic, ...]) -> str:
    """The first error, as one line for people who see only the exception."""
    errors = [d for d in diagnostics if d.severity == "error"]
    first = errors[0]
    more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
    return f"{first.path}:{first.start.line}:{first.start.column}: {first.code} {first.message}{more}"
