"""Rulesets and what they extend: read, merged key by key, each value traceable to its text."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from .. import rulesets
from .compose import compose, decode
from .construct import construct
from .problem import KeyPath, Problem, nearest, one_of, quote, respell, sure
from .program_json import is_program
from .reading import read_source
from .reason import reason_of
from .source import SourceMap

#: Where an inline mapping is said to stand.
INLINE = "<inline>"
#: The name of a ruleset that names itself after its file (spec of the original, section 16).
FILE_NAME = "<YamlName>"

#: Longest chain of rulesets that extend each other.
MAX_CHAIN = 32

_SHIPPED = Path(rulesets.__file__).parent


@dataclass(frozen=True, slots=True)
class Document:
    """One ruleset text: its values as written, and what was wrong with reading it."""

    source: SourceMap
    stem: str
    data: Mapping[str, Any]
    problems: tuple[Problem, ...] = ()

    def holds(self, path: KeyPath) -> bool:
        """Whether the text says anything at ``path``; an inline mapping has no tree of its text to ask."""
        if self.source.root is not None:
            return self.source.has(path)
        value: Any = self.data
        for step in path:
            try:
                value = value[step]
            except (KeyError, IndexError, TypeError):
                return False
        return True


@dataclass(frozen=True, slots=True)
class Chain:
    """A ruleset with all that it extends, bases first; ``data`` is merged, later wins key by key.

    ``folder`` is where the relative paths of the main text start.
    """

    documents: tuple[Document, ...]
    data: Mapping[str, Any]
    folder: Path = Path()

    @property
    def main(self) -> Document:
        """The ruleset that was asked for."""
        return self.documents[-1]

    @property
    def digest(self) -> str:
        """Hex SHA-256 of the sources: the name and the text of each, in order."""
        return self.digest_with(())

    def digest_with(self, others: Iterable[tuple[str, str]]) -> str:
        """The digest of the sources and of other texts that the ruleset is made from, as (name, text)."""
        total = hashlib.sha256()
        for source in (*((document.stem, document.source.text) for document in self.documents), *others):
            for part in source:
                total.update(hashlib.sha256(part.encode("utf-8", "surrogatepass")).digest())
        return total.hexdigest()

    def owner(self, path: KeyPath) -> Document:
        """The document whose value at ``path`` wins; the main one when none holds it."""
        return next((d for d in reversed(self.documents) if d.holds(path)), self.main)

    def folder_of(self, path: KeyPath) -> Path:
        """Where a relative path that stands at ``path`` starts: beside the text that holds it."""
        owner = self.owner(path)
        return self.folder if owner is self.main else Path(owner.source.path).parent


def shipped_names() -> tuple[str, ...]:
    """The names of the rulesets that ship with dcc, sorted."""
    return tuple(sorted(path.stem for path in _SHIPPED.glob("*.yaml")))


def shipped_path(name: str) -> Path | None:
    """The file of a shipped ruleset, or None when there is none of that name."""
    return _SHIPPED / f"{name}.yaml" if name in shipped_names() else None


def shipped_ops_names() -> tuple[str, ...]:
    """The names of the files of ops that ship with dcc, sorted."""
    return tuple(sorted(path.stem for path in _SHIPPED.glob("*.ops")))


def shipped_ops_path(name: str) -> Path | None:
    """The shipped file of ops of that name, or None when there is none."""
    return _SHIPPED / f"{name}.ops" if name in shipped_ops_names() else None


def read_text(path: str, text: str | bytes) -> Document:
    """A document from the content of a file; ``path`` is how diagnostics name it."""
    source, data, problems = read_values(path, text)
    return _document(source, Path(path).stem, data, problems)


@lru_cache(maxsize=8)
def _read_base(path: str, text: bytes) -> Document:
    """The document of a base. What many rulesets of one run extend is parsed once; another text is another document."""
    return read_text(path, text)


def read_values(path: str, text: str | bytes) -> tuple[SourceMap, Any, list[Problem]]:
    """What a YAML text says: the map of its text, its values, and what is wrong with either."""
    problems: list[Problem] = []
    if isinstance(text, bytes):
        text, problems = decode(text)
    root = None
    if not problems:
        root, problems = compose(text)
    source = SourceMap(path, text, root)
    data, more = construct(source)
    return source, data, [*problems, *more]


def read_mapping(mapping: Mapping[str, Any]) -> Document:
    """A document from values that are already read (a scenario's inline ruleset)."""
    data = _plain_copy(mapping)
    text = json.dumps(data, ensure_ascii=False)
    return _document(SourceMap(INLINE, text, None), "inline", data, [])


def _plain_copy(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain_copy(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain_copy(item) for item in value]
    return value if value is None or isinstance(value, str | bool | int | float) else str(value)


def _document(source: SourceMap, stem: str, data: Any, problems: list[Problem]) -> Document:
    if data is None and not problems:
        help = "write at least `life_cycle:`, or `extends: [standard]`"
        problems.append(Problem("empty-ruleset", "the ruleset is empty", (), help=help))
    elif data is not None and not isinstance(data, dict):
        message = f"a ruleset is a mapping of sections, this is {quote(data)}"
        problems.append(Problem("wrong-type", message, (), help="start with `life_cycle:`"))
    elif data is not None and is_program(data):
        help = "name the ruleset that it was made of; in Python, Program.from_json runs the program itself"
        problems.append(Problem("wrong-type", "this is a compiled program, expected a ruleset", (), help=help))
        data = {}
    return Document(source, stem, data if isinstance(data, dict) else {}, tuple(problems))


@dataclass(slots=True)
class _Resolver:
    """One resolution of ``extends``: each file is read once, and comes before what extends it."""

    order: list[Document] = field(default_factory=list)
    merged: dict[Path, dict[str, Any]] = field(default_factory=dict)

    def resolve(self, document: Document, folder: Path, trail: tuple[Path, ...]) -> dict[str, Any]:
        """The merged values of a document; ``folder`` is where its relative paths start."""
        data: dict[str, Any] = {}
        problems: list[Problem] = []
        extends = document.data.get("extends")
        names = [extends] if isinstance(extends, str) else extends if isinstance(extends, list) else []
        for index, name in enumerate(names):
            where: KeyPath = ("extends", index) if isinstance(extends, list) else ("extends",)
            if isinstance(name, str):
                base, problem = self._base(name, folder, trail, where)
                data = merge(data, base)
                problems += [problem] if problem else []
        if problems:
            document = Document(
                document.source, document.stem, document.data, (*document.problems, *problems)
            )
        self.order.append(document)
        data.pop("name", None)
        return merge(data, document.data)

    def _base(
        self, name: str, folder: Path, trail: tuple[Path, ...], where: KeyPath
    ) -> tuple[dict[str, Any], Problem | None]:
        shipped = shipped_path(name)
        path = shipped or folder / name
        try:
            key = path.resolve()
            if key in trail or len(trail) > MAX_CHAIN:
                message = f"{quote(name)} extends itself, directly or through others"
                return {}, Problem("extends-cycle", message, where, help="remove one link of the circle")
            if key not in self.merged:
                if path.exists() and not (path.is_file() or path.is_dir()):
                    raise ValueError("it is a pipe or a device, no file")
                shown = str(path) if shipped is None else f"{name}.yaml"
                document = _read_base(shown, read_source(path))
                self.merged[key] = self.resolve(document, path.parent, (*trail, key))
        except (OSError, ValueError) as error:
            message = f"cannot read {quote(name)}: {reason_of(error)}"
            meant = sure(name, shipped_names())
            mends = (respell(where, meant),) if meant else ()
            return {}, Problem("extends-not-found", message, where, help=_help_for(name), mends=mends)
        return self.merged[key], None


def _help_for(name: str) -> str:
    near = nearest(name, shipped_names())
    if near:
        return f"did you mean the shipped ruleset {quote(near)}?"
    return f"name a shipped ruleset ({one_of(shipped_names())}) or a path relative to this file"


def resolve(document: Document, folder: Path, own: Path | None = None) -> Chain:
    """The document with everything that it extends. ``own`` is its file, to find a circle."""
    resolver = _Resolver()
    data = resolver.resolve(document, folder, (own.resolve(),) if own is not None else ())
    name = data.get("name")
    if name in (None, FILE_NAME):
        data["name"] = name = document.stem
    return Chain(tuple(resolver.order), _named(data, name) if isinstance(name, str) else data, folder)


def merge(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """``over`` on top of ``base``: mappings key by key, anything else replaced."""
    merged = dict(base)
    for key, value in over.items():
        below = merged.get(key)
        merged[key] = merge(below, value) if isinstance(below, dict) and isinstance(value, dict) else value
    return merged


def _named(value: Any, name: str) -> Any:
    """The values with ``${name}`` replaced by the ruleset's name (spec of the original, section 16)."""
    if isinstance(value, str):
        return value.replace("${name}", name)
    if isinstance(value, dict):
        return {key: _named(item, name) for key, item in value.items()}
    return [_named(item, name) for item in value] if isinstance(value, list) else value
