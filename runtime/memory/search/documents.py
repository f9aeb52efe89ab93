"""What an index is made of: the files of a store that can be found, articles or journal entries."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from ....grammar.canon.articles import Article
from ....grammar.canon.entries import read_entry
from ..errors import CanonError
from ..store.articles import Articles
from ..store.files import as_text
from ..store.journal import Journal
from .tokens import Bag, bag_of

#: What changes with a file: its number, size, times of content and of anything (nanoseconds).
Stamp = tuple[int, int, int, int]

#: The scope that declares an article to be a rule.
_RULE = "rule"


@dataclass(frozen=True, slots=True)
class Document:
    """A document as an index takes it in. ``declared``: it is an article of scope ``rule``."""

    bag: Bag
    declared: bool = False


class Source(Protocol):
    """The files that an index is made of."""

    def listed(self) -> Iterator[tuple[str, os.DirEntry[str]]]:
        """Every document that there is now: its key and its file."""

    def document(self, key: str, data: bytes) -> Document:
        """The document in the bytes of a file."""


class ArticleFiles:
    """The articles of a store, by address."""

    def __init__(self, articles: Articles) -> None:
        self._articles = articles

    def listed(self) -> Iterator[tuple[str, os.DirEntry[str]]]:
        """The articles; a link that leads out of the store is none."""
        for address, entry in self._articles.entries():
            if not entry.is_symlink() or self._leads_inside(entry.path):
                yield address, entry

    def _leads_inside(self, path: str) -> bool:
        try:
            self._articles.inside(path)
        except CanonError:
            return False
        return True

    def document(self, key: str, data: bytes) -> Document:
        """Address, capsule and body."""
        article = Article(as_text(data))
        return Document(bag_of(f"{key} {article.capsule} {article.body}", key), article.scope == _RULE)


class EntryFiles:
    """The entries of a journal, by file name."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    def listed(self) -> Iterator[tuple[str, os.DirEntry[str]]]:
        """The entries; a link is none: it may lead out of the store."""
        return ((entry.name, entry) for entry in self._journal.entries() if not entry.is_symlink())

    def document(self, key: str, data: bytes) -> Document:
        """Subjects and body."""
        entry = read_entry(as_text(data))
        subjects = " ".join(entry.subjects)
        return Document(bag_of(f"{subjects} {entry.body}", subjects))
