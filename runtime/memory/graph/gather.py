"""Reads the stores of a session into a graph. Nothing is written."""

from __future__ import annotations

import os
from typing import Final

from ....grammar.canon.addresses import contained, upwards
from ....grammar.canon.articles import Article
from ....grammar.canon.entries import DATE_LENGTH
from ..desk import Desk
from ..errors import CanonError
from ..store.articles import Articles
from ..store.files import as_text, read_file
from ..store.linking import linked
from ..store.mounts import Mount
from ..store.relations import targets_of
from ..verbs.search import excerpt_of
from .model import Graph, Kind, Node

#: What a node is known by: kind, mount, path.
_Key = tuple[Kind, str, str]

_ARTICLE: Final = "article"


def graph_of(desk: Desk) -> Graph:
    """The graph of all stores of a session.

    Assets are those that have an article of their own or that an entry is about; a project has many more. Of a file
    that cannot be read nothing but its name is told.
    """
    gathering = _Gathering(desk)
    gathering.add_articles()
    gathering.add_entries()
    return Graph(tuple(gathering.nodes), tuple(gathering.edges))


class _Gathering:
    """What is found so far: nodes, their numbers, and edges in the order in which they are found."""

    def __init__(self, desk: Desk) -> None:
        self._mounts = desk.mounts
        self._assets = {mount.name: mount.assets() for mount in desk.mounts}
        self._numbers: dict[_Key, int] = {}
        self.nodes: list[Node] = []
        self.edges: dict[tuple[int, int], None] = {}

    def add_articles(self) -> None:
        """The articles of every store, the articles that they link to and the assets that they govern."""
        files = [
            (mount, address, path) for mount in self._mounts for address, path in mount.store.articles.paths().items()
        ]
        self._numbers |= {(_ARTICLE, mount.name, address): at for at, (mount, address, _) in enumerate(files)}
        for here, (mount, address, path) in enumerate(files):
            text = _text_of(mount.store.articles, path)
            article, links = Article(text), {target: self._linked(mount, target) for target in targets_of(text)}
            lost = tuple(target for target, there in links.items() if there is None)
            self.nodes.append(
                Node(
                    _ARTICLE, mount.name, address, article.title, article.capsule, article.updated, article.scope, lost
                )
            )
            for there in links.values():
                self._point(here, there)
        for here, (mount, address, _) in enumerate(files):
            for asset in self._assets[mount.name].at(address):
                self._point(here, self._asset(mount, asset))

    def _linked(self, mount: Mount, target: str) -> int | None:
        found = linked(self._mounts, mount, target)
        return None if found is None else self._numbers.get((_ARTICLE, found[0].name, found[1]))

    def add_entries(self) -> None:
        """The entries of the project's journal, and what they are about."""
        journal = self._mounts.project.store.journal
        for name in sorted(journal.names()):
            entry = journal.readable(name)
            if entry is None:
                continue
            about = {subject: self._about(subject) for subject in entry.subjects}
            lost = tuple(subject for subject, numbers in about.items() if not numbers)
            date = entry.logged or name[:DATE_LENGTH]
            here = self._add(Node("entry", "", name, text=excerpt_of(entry.body), date=date, lost=lost))
            for numbers in about.values():
                for there in numbers:
                    self._point(here, there)

    def _about(self, subject: str) -> list[int]:
        """What a subject names: the article of exactly this address, else the assets that are called so."""
        name, colon, rest = subject.partition(":")
        other = self._mounts.named(name) if colon else None
        mount, address = (self._mounts.project, contained(subject)) if other is None else (other, contained(rest))
        article = self._numbers.get((_ARTICLE, mount.name, address))
        if article is not None:
            return [article]
        return [self._governed(mount, path) for path in self._assets[mount.name].at(address)]

    def _governed(self, mount: Mount, path: str) -> int:
        """The node of an asset; one that has no article of its own is pointed to by the one that governs it."""
        known = len(self.nodes)
        number = self._asset(mount, path)
        if number == known:
            above = (self._numbers.get((_ARTICLE, mount.name, address)) for address in upwards(path.rstrip("/")))
            governing = next((article for article in above if article is not None), None)
            if governing is not None:
                self._point(governing, number)
        return number

    def _asset(self, mount: Mount, path: str) -> int:
        number = self._numbers.get(("asset", mount.name, path))
        return self._add(Node("asset", mount.name, path)) if number is None else number

    def _add(self, node: Node) -> int:
        number = self._numbers[node.kind, node.mount, node.path] = len(self.nodes)
        self.nodes.append(node)
        return number

    def _point(self, here: int, there: int | None) -> None:
        if there is not None and here != there:
            self.edges[here, there] = None


def _text_of(articles: Articles, path: str) -> str:
    """The text of an article; none of a file that cannot be read, or is a link out of the store."""
    try:
        return as_text(read_file(articles.inside(path) if os.path.islink(path) else path) or b"")
    except (CanonError, OSError):
        return ""
