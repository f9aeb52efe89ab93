"""The graph of a store: which article links to which (specification of canon, section 6, relations)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass

from ....compiler.canon.enforcing import Violation
from ....compiler.canon.schema import Schema
from ....grammar.canon.addresses import parent_of
from ....grammar.canon.articles import Article
from ....grammar.canon.links import links_in
from ..errors import CanonError
from .files import as_text, read_file
from .linking import linked
from .mounts import Mount, Mounts


@dataclass(frozen=True, slots=True)
class _Read:
    """The links of a file, and what it was when they were read: time in nanoseconds, size."""

    stamp: tuple[int, int]
    targets: tuple[str, ...]


class Relations:
    """The links between the articles of one mount. Files are read again when they have changed."""

    def __init__(self, mounts: Mounts, mount: Mount) -> None:
        self._mounts = mounts
        self._mount = mount
        self._read: dict[str, _Read] = {}

    def links(self) -> dict[str, frozenset[str]]:
        """For every article the addresses of its own mount that it links to, itself left out."""
        paths = self._mount.store.articles.paths()
        self._read = {address: self._links_of(address, path) for address, path in paths.items()}
        return {address: self.outgoing(address, read.targets) for address, read in self._read.items()}

    def _links_of(self, address: str, path: str) -> _Read:
        try:
            found = os.stat(path)
            stamp, known = (found.st_mtime_ns, found.st_size), self._read.get(address)
            if known is not None and known.stamp == stamp:
                return known
            return _Read(stamp, targets_of(as_text(read_file(path) or b"")))
        except (CanonError, OSError):
            return _Read((0, 0), ())  # Gone since it was listed, or not to be read: lint says so.

    def outgoing(self, address: str, targets: tuple[str, ...]) -> frozenset[str]:
        """The articles of the mount that links lead to from an address."""
        found = (linked(self._mounts, self._mount, target) for target in targets)
        return frozenset(to[1] for to in found if to is not None and to[0] is self._mount and to[1] != address)

    def broken(self, schema: Schema, address: str, article: Article) -> Iterator[Violation]:
        """The rules of the graph that an article breaks; they only warn. Nothing is read that no rule asks for."""
        if schema.rule("children").asked:
            yield from self._unlisted(schema, address, article)
        if schema.rule("orphan").asked and not any(address in to for to in self.links().values()):
            yield unreferenced(schema)

    def _unlisted(self, schema: Schema, address: str, article: Article) -> Iterator[Violation]:
        children = self._mount.store.articles.children(address)
        if children:
            named = self.outgoing(address, tuple(link.target for link in links_in(article.body)))
            yield from (unlisted(schema, child) for child in children if child not in named)


def targets_of(text: str) -> tuple[str, ...]:
    """The targets of the links of an article's file, each once."""
    if "[[" not in text:
        return ()
    return tuple(dict.fromkeys(link.target for link in links_in(Article(text).body)))


def unreferenced(schema: Schema) -> Violation:
    """What breaks ``orphan.warn``."""
    return Violation("orphan", "warn", "no other article links to this one", schema.rule("orphan").hint)


def unlisted(schema: Schema, child: str) -> Violation:
    """What breaks ``children.listed``."""
    return Violation("children", "listed", f"the body does not link to {child}", schema.rule("children").hint)


def broken_in_store(schema: Schema, links: dict[str, frozenset[str]]) -> Iterator[tuple[str, Violation]]:
    """The rules of the graph that the articles of a store break, from all links: address and violation."""
    if schema.rule("orphan").asked:
        referenced = frozenset().union(*links.values())
        yield from ((address, unreferenced(schema)) for address in links if address not in referenced)
    if schema.rule("children").asked:
        for address in links:
            above = parent_of(address)
            if above in links and address not in links[above]:
                yield above, unlisted(schema, address)
