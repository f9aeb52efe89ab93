"""``governance.ops``: the files that a ruleset names, joined to one table (language.md section 6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ...grammar.spans import Span
from ..documents import shipped_ops_names, shipped_ops_path
from ..problem import KeyPath, Problem, nearest, one_of, quote, respell, sure
from ..reading import read_source
from ..reason import reason_of
from .model import Op, OpTable
from .source import OpsFile, read_ops_file

PATH: KeyPath = ("governance", "ops")


@dataclass(frozen=True, slots=True)
class ResolvedOps:
    """The table of a ruleset, the sources that it came from as (name, text), and what is wrong with naming them."""

    table: OpTable
    sources: tuple[tuple[str, str], ...]
    problems: tuple[Problem, ...]


def resolve_ops(names: Sequence[str], folder: Path, written: Any) -> ResolvedOps:
    """Read the files of ``governance.ops``: shipped names, or paths relative to ``folder``.

    ``written`` is the value as it stands in the ruleset: a name alone, or a list.
    """
    ops: dict[str, Op] = {}
    sources: list[tuple[str, str]] = []
    problems: list[Problem] = []
    for index, name in enumerate(names):
        where: KeyPath = (*PATH, index) if isinstance(written, list) else PATH
        try:
            file = shipped_ops(name) or _file(folder / name)
        except (OSError, ValueError) as error:
            problems.append(_not_found(name, where, error))
            continue
        source = file.document.source
        sources.append((Path(source.path).name, source.text))
        if file.faults:
            problems.append(_broken(name, where, file))
        ops |= file.table
    for op in ops.values():
        if op.reverse is not None and op.reverse not in ops and not problems:
            message = f"the op {quote(op.name)} is reversed by {quote(op.reverse)}, which is no op of this ruleset"
            help = "name the file that declares it too, such as `ops: [cpat, mine.ops]`"
            problems.append(Problem("ops-reverse", message, PATH, help=help))
    return ResolvedOps(OpTable(ops), tuple(sources), tuple(problems))


@cache
def shipped_ops(name: str) -> OpsFile | None:
    """A file of operations that ships with dcc, read once; None when there is none of that name."""
    path = shipped_ops_path(name)
    return None if path is None else read_ops_file(str(path), path.read_bytes())


def _file(path: Path) -> OpsFile:
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise ValueError("it is a pipe or a device, no file")
    return read_ops_file(str(path), read_source(path))


def _not_found(name: str, where: KeyPath, error: OSError | ValueError) -> Problem:
    known = shipped_ops_names()
    near, meant = nearest(name, known), sure(name, known)
    named = f"name {one_of(known)}, or the path of a .ops file, relative to this one"
    help = f"did you mean {quote(near)}?" if near else named
    mends = (respell(where, meant),) if meant else ()
    message = f"cannot read the ops {quote(name)}: {reason_of(error)}"
    return Problem("ops-not-found", message, where, help=help, mends=mends)


def _broken(name: str, where: KeyPath, file: OpsFile) -> Problem:
    source = file.document.source
    starts = [fault.where.start if isinstance(fault.where, Span) else 0 for fault in file.faults]
    first = file.faults[starts.index(min(starts))]
    at = source.position(min(starts))
    more = f" (and {len(file.faults) - 1} more)" if len(file.faults) > 1 else ""
    message = f"the ops {quote(name)} have errors: line {at.line}, column {at.column}: {first.message}{more}"
    return Problem("ops-broken", message, where, help=f"`dcc check {source.path}` tells them all")
