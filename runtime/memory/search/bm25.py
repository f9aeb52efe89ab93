"""Scores of documents for a query: BM25, in shares of the most that any document could reach (section 9)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import log
from typing import Final, Protocol

#: How fast a term that is repeated stops to tell more, and how much long documents pay; section 9.
K1: Final = 1.5
B: Final = 0.75

#: A posting is a number: that of the document above these bits, how often it has the term in them.
FREQUENCY_BITS: Final = 32
FREQUENCY: Final = (1 << FREQUENCY_BITS) - 1


class Scope(Protocol):
    """The documents that are searched: how many, the sum of their lengths, each one's, and their postings."""

    @property
    def count(self) -> int: ...

    @property
    def total(self) -> int: ...

    @property
    def lengths(self) -> Sequence[int]: ...

    def postings(self, term: str) -> Sequence[int]: ...


def scores(terms: Iterable[str], scopes: Sequence[Scope]) -> list[dict[int, float]]:
    """The scores above 0 by number of document, scope for scope; all scopes together are one collection.

    A score is divided by what a document would get that had nothing but every term endlessly often: it is below 1.
    """
    found: list[dict[int, float]] = [{} for _ in scopes]
    count = sum(scope.count for scope in scopes)
    average = sum(scope.total for scope in scopes) / count if count else 0.0
    ceiling = 0.0
    for term in terms:
        held = [scope.postings(term) for scope in scopes]
        n = sum(map(len, held))
        if not n:
            continue  # The ceiling counts what some document has: a word that none has makes no score lower.
        most = log(1 + (count - n + 0.5) / (n + 0.5)) * (K1 + 1)
        ceiling += most
        for scope, postings, scored in zip(scopes, held, found, strict=True):
            lengths = scope.lengths
            for posting in postings:
                number, f = posting >> FREQUENCY_BITS, posting & FREQUENCY
                share = lengths[number] / average if average else 1.0
                score = most * f / (f + K1 * (1 - B + B * share))
                scored[number] = scored.get(number, 0.0) + score
    return [{number: score / ceiling for number, score in scored.items()} for scored in found]
