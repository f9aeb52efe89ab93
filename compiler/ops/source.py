"""One ``*.ops`` file, read: its text with places, its ops, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ...grammar.ops import read_ops
from ...grammar.spans import Span
from ..compose import UNREADABLE, decode
from ..documents import Document
from ..problem import Mend, Problem
from ..source import SourceMap
from .compile import CompiledOp, compile_ops
from .model import Op


@dataclass(frozen=True, slots=True)
class OpsFile:
    """A file of ops. ``document.problems`` are those of reading it, ``problems`` what its ops say wrongly."""

    document: Document
    ops: tuple[CompiledOp, ...]
    problems: tuple[Problem, ...]

    @property
    def faults(self) -> tuple[Problem, ...]:
        """Everything that keeps the file from being used."""
        return (*self.document.problems, *self.problems)

    @property
    def table(self) -> Mapping[str, Op]:
        """The ops by name; of two of one name the later counts."""
        return {compiled.op.name: compiled.op for compiled in self.ops}


def read_ops_file(path: str, text: str | bytes) -> OpsFile:
    """The ops in the content of a file; ``path`` is how diagnostics name it."""
    problems: list[Problem] = []
    if isinstance(text, bytes):
        text, problems = decode(text)
    if problems:
        return OpsFile(Document(SourceMap(path, text, None), Path(path).stem, {}, tuple(problems)), (), ())
    syntax = read_ops(text)
    names = {"ops_too_large": "too-large"}
    errors = [
        Problem(names.get(error.code, "ops-syntax"), error.message, error.span, help=error.help)
        for error in syntax.errors
    ]
    errors += _invisible(text)
    compiled, wrong = compile_ops(syntax)
    source = SourceMap(path, text, None, literals=syntax.texts)
    return OpsFile(Document(source, Path(path).stem, {}, tuple(errors)), compiled, tuple(wrong))


def _invisible(text: str) -> list[Problem]:
    """The first character that no editor shows: what an op says goes to models and to terminals."""
    bad = UNREADABLE.search(text)
    if bad is None:
        return []
    where = Span(bad.start(), bad.end())
    message = f"control character U+{ord(bad[0]):04X} stands in the file"
    mend = Mend("remove it", False, ((where, ""),))
    return [Problem("control-character", message, where, help="remove it", mends=(mend,))]
