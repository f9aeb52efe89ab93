"""Articles and journal entries that match a query (specification of canon, section 4.5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import nlargest
from typing import Final, Literal

from ....grammar.canon.lengths import unit_order
from .bm25 import scores
from .index import Index
from .tokens import folded, lesser_terms_of, terms_of

#: What is shown of a search at most, and how much of that is kept for articles; section 4.5.
SLOTS: Final = 10
KEPT: Final = 5

#: Words of a query that are looked for as pieces of addresses, at most.
MOST_WORDS: Final = 50

#: By what a query found anything: its terms, its lesser terms, or pieces of addresses.
By = Literal["terms", "lesser", "address"]


@dataclass(frozen=True, slots=True)
class Hit:
    """What was found: the address of an article, the file name of an entry; its score, above 0 and at most 1."""

    key: str
    score: float


@dataclass(frozen=True, slots=True)
class Found:
    """The articles and entries that a reply has room for, best first; ``more``: how many match beside them."""

    articles: tuple[Hit, ...]
    entries: tuple[Hit, ...]
    by: By
    more: int = 0


def find(query: str, articles: Index, entries: Index | None = None) -> Found:
    """The articles, and the entries if those are to be searched, that match a query.

    What the terms of the query do not find is looked for by its short words and lone characters, and last by pieces
    of addresses, so that `db`, `猫` and `conf` find something too. (The original finds nothing then.)
    """
    indexes = [articles] if entries is None else [articles, entries]
    scopes = [index.every() for index in indexes]
    tried: tuple[tuple[By, tuple[str, ...]], ...] = (("terms", terms_of(query)), ("lesser", lesser_terms_of(query)))
    for by, terms in tried:
        found = scores(terms, scopes)
        if any(found):
            named = [_named(index, scored) for index, scored in zip(indexes, found, strict=True)]
            return _shared(named[0], named[1] if entries is not None else {}, by)
    return _shared(_by_address(query, articles), {}, "address")


def _named(index: Index, scored: dict[int, float]) -> dict[str, float]:
    return {index.key(number): score for number, score in scored.items()}


def _shared(articles: dict[str, float], entries: dict[str, float], by: By) -> Found:
    """What a reply has room for. The room that one side does not need goes to the other."""
    first = min(len(articles), max(KEPT, SLOTS - len(entries)))
    second = min(len(entries), SLOTS - first)
    more = len(articles) + len(entries) - first - second
    return Found(_best(articles, first), _best(entries, second), by, more)


def _best(scored: dict[str, float], count: int) -> tuple[Hit, ...]:
    """The best hits; of thousands only those are put in order that may be among them."""
    least = min(nlargest(count, scored.values()), default=0.0)
    return tuple(in_order([Hit(key, score) for key, score in scored.items() if score >= least])[:count])


def ranked(index: Index, scored: dict[int, float]) -> tuple[Hit, ...]:
    """Scores by number of document as hits, all of them, best first."""
    return tuple(in_order([Hit(key, score) for key, score in _named(index, scored).items()]))


def in_order(hits: Sequence[Hit]) -> list[Hit]:
    """Hits, best first; equal scores in order of their keys."""
    return sorted(hits, key=lambda hit: (-hit.score, unit_order(hit.key)))


def _by_address(query: str, articles: Index) -> dict[str, float]:
    """The articles with a word of the query in their addresses; the score is the share of the words.

    A text of more words than any address is no piece of one.
    """
    words = set(folded(query).replace("/", " ").split())
    if len(words) > MOST_WORDS:
        return {}
    held = {address: sum(word in text for word in words) for address in articles.known for text in [folded(address)]}
    return {address: count / len(words) for address, count in held.items() if count}
