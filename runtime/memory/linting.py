"""Walks the stores of a session and finds what is wrong in them, file by file."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ...compiler.canon.advice import Facts, same_but_case_advice
from ...compiler.canon.check_schema import check_schema
from ...compiler.canon.enforcing import Violation
from ...compiler.canon.lint import finding, lint_article, lint_entry
from ...compiler.canon.schema import Schema
from ...compiler.diagnostics import Diagnostic, sort_diagnostics
from ...grammar.canon.addresses import parent_of
from ...grammar.canon.articles import Article
from ...grammar.spans import Span
from .desk import Desk
from .errors import CanonError
from .store.files import as_bytes, as_text, read_file, reason_of
from .store.layout import SUFFIX
from .store.linking import linked
from .store.mounts import Mount
from .store.relations import broken_in_store


@dataclass(frozen=True, slots=True)
class Linted:
    """The findings in a store, sorted, and how many files were looked at; ``texts`` has those with findings."""

    diagnostics: tuple[Diagnostic, ...]
    files: int
    texts: dict[str, str]


def lint(desk: Desk) -> Linted:
    """The findings in the stores of a session: its project's and those of its mounts. Nothing is written."""
    found: list[Diagnostic] = []
    files, texts = 0, dict[str, str]()
    # A folder may be mounted twice, or be the project's.
    for mount in {os.path.realpath(mount.store.layout.root): mount for mount in reversed(desk.mounts.all)}.values():
        for path, text, diagnostics in _Walk(desk, mount).files():
            files += 1
            if diagnostics:
                found += diagnostics
                texts[path] = as_bytes(text).decode("utf-8", "replace")
    return Linted(sort_diagnostics(found), files, texts)


class _Walk:
    """One look at one store; folders of assets are listed once, links are resolved against the addresses found."""

    def __init__(self, desk: Desk, mount: Mount) -> None:
        self._desk = desk
        self._mount = mount
        self._store = mount.store
        self._paths = mount.store.articles.paths()
        self._assets = mount.assets()
        self._schema = mount.store.schema()
        self._here = os.getcwd() + os.sep

    def files(self) -> Iterator[tuple[str, str, list[Diagnostic]]]:
        """Name, text and findings of every file of the store."""
        yield from self._schema_file()
        broken = self._broken(self._schema)
        for address, file in self._paths.items():
            path, (text, flaw) = self._named(file), _read(file)
            found = [] if flaw else self._article(address, path, text, broken.get(address, []))
            yield path, text, [_unusable(path, text, flaw)] if flaw else found
        for file in _twice(self._store.layout.articles, self._paths):
            path = self._named(file)
            message, help = "another file has this address too", "keep one of the two files"
            yield path, "", [finding("same-address", path, "", Span(0, 0), message, help)]
        for address, other in _same_but_case(self._paths):
            path, advice = self._named(self._paths[address]), same_but_case_advice(other)
            yield path, "", [finding(advice.name, path, "", Span(0, 0), advice.message, advice.help)]
        for file, flaw in sorted((*self._store.articles.strays(), *self._store.journal.strays())):
            path = self._named(file)
            yield path, "", [_unusable(path, "", flaw)]
        for name in sorted(self._store.journal.names()):
            file = f"{self._store.layout.journal}/{name}"
            path, (text, flaw) = self._named(file), _read(file)
            yield path, text, [_unusable(path, text, flaw)] if flaw else list(lint_entry(path, text))

    def _schema_file(self) -> Iterator[tuple[str, str, list[Diagnostic]]]:
        """The schema, when there is one. One that lies elsewhere is checked, and none of its text is shown."""
        file = self._store.layout.schema
        path = self._named(file)
        problem = self._schema.unreadable
        if problem is not None:
            yield path, "", [finding("unreadable-article", path, "", Span(0, 0), problem.message, problem.help)]
            return
        data = read_file(file)
        if data is not None:
            found = list(check_schema(path, data))
            yield path, "" if os.path.islink(file) else as_text(data), found

    def _article(self, address: str, path: str, text: str, broken: list[Violation]) -> list[Diagnostic]:
        return list(lint_article(path, Article(text), self._facts(address), broken))

    def _facts(self, address: str) -> Facts:
        return Facts(
            address=address,
            shown=self._mount.shown(address),
            governs=self._assets.governed_by(address),
            has_folder=self._assets.has_folder(address),
            has_parent=parent_of(address) in self._paths,
            is_live=self._is_live,
            schema=self._schema,
        )

    def _is_live(self, target: str) -> bool:
        return target in self._paths or linked(self._desk.mounts, self._mount, target) is not None

    def _broken(self, schema: Schema) -> dict[str, list[Violation]]:
        found: dict[str, list[Violation]] = {}
        if schema.rule("orphan").asked or schema.rule("children").asked:
            for address, violation in broken_in_store(schema, self._desk.relations(self._mount).links()):
                found.setdefault(address, []).append(violation)
        return found

    def _named(self, path: str) -> str:
        """A file as findings name it: from the current folder where it is below that."""
        return path.removeprefix(self._here)


def _unusable(path: str, text: str, flaw: str) -> Diagnostic:
    message, help = f"the file cannot be used: {flaw}", "put a file in UTF-8 there, with a plain name, or take it away"
    return finding("unreadable-article", path, text, Span(0, 0), message, help)


def _read(path: str) -> tuple[str, str]:
    """The text of a file, and what is wrong with it as a whole; empty: nothing."""
    try:
        text = as_text(read_file(path) or b"")
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text, "it is not UTF-8"
    except (CanonError, OSError) as error:
        return "", reason_of(error)
    return text, ""


def _same_but_case(paths: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The addresses that are an earlier one but for case, each with that one."""
    first: dict[str, str] = {}
    for address in paths:
        other = first.setdefault(address.casefold(), address)
        if other != address:
            yield address, other


def _twice(folder: str, paths: dict[str, str]) -> Iterator[str]:
    """The files that share their address with another: their names differ only in their form of Unicode."""
    if all(map(str.isascii, paths)):
        return
    known = set(paths.values())
    for above, _, names in os.walk(folder):
        files = (f"{above}/{name}" for name in names if name.endswith(SUFFIX) and name != SUFFIX)
        yield from (path for path in files if path not in known and os.path.isfile(path) and not os.path.islink(path))
