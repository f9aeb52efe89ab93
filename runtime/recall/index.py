"""An inverted index over slots: kept up to date birth by birth, searched in time that hardly grows.

The documents that hold a token are a **posting**. A search adds up whole postings at once, as bit sets: bit n
stands for document n. Scores are counted in binary, one bit set for each digit (a *plane*), so that a search
takes a few big operations for each token of the query, however frequent the token is.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from heapq import heappop, heappush
from typing import NamedTuple, Protocol

#: Documents from which on a posting is kept as a bit set: about where one takes no more room than a list.
DENSE = 2_048

#: Tokens of a query that are looked for at most; of more, the rarest: they tell most.
QUERY_LIMIT = 256


class Document(NamedTuple):
    """A slot that can be found: its id, its element, its birth turn."""

    slot: str
    element: str
    turn: int


class Found(NamedTuple):
    """A document and how many tokens of the query it holds."""

    document: Document
    score: int


class Index(Protocol):
    """Where slots are found by tokens. Documents are added in the order of their birth."""

    def add(self, document: Document, tokens: Iterable[str]) -> None:
        """File a document under its tokens."""

    def purge(self, slot: str) -> None:
        """Forget a document, and every token that only it held."""

    def search(self, tokens: Iterable[str], elements: Iterable[str] | None) -> Iterator[Found]:
        """The documents that hold any of the tokens: best score first, then newer turns, then by birth.

        ``elements``: only documents of these; None: of any.
        """


class MemoryIndex:
    """An index in memory."""

    def __init__(self) -> None:
        self._documents: list[Document] = []
        #: The newest turn among the documents up to each: a summary stands at an older turn than its neighbours.
        self._newest = array("L")
        self._elements: dict[str, int] = {}
        self._postings: dict[str, array[int] | int] = {}

    def add(self, document: Document, tokens: Iterable[str]) -> None:
        """File a document under its tokens (see ``Index.add``)."""
        number = len(self._documents)
        self._documents.append(document)
        self._newest.append(max(document.turn, self._newest[-1] if number else 0))
        self._elements[document.element] = self._elements.get(document.element, 0) | 1 << number
        postings = self._postings
        for token in tokens:
            posting = postings.get(token)
            if posting is None:
                postings[token] = array("L", (number,))
            elif isinstance(posting, int):
                postings[token] = posting | 1 << number
            else:
                posting.append(number)
                if len(posting) >= DENSE:
                    postings[token] = _bits(posting)

    def purge(self, slot: str) -> None:
        """Forget a document (see ``Index.purge``). Costs O(vocabulary)."""
        gone = 0
        for number, document in enumerate(self._documents):
            if document.slot == slot:
                gone |= 1 << number
        for element, bits in self._elements.items():
            self._elements[element] = bits & ~gone
        for token, posting in list(self._postings.items()):
            if isinstance(posting, int):
                left: array[int] | int = posting & ~gone
            else:
                left = array("L", (n for n in posting if not gone >> n & 1))
            if left:
                self._postings[token] = left
            else:
                del self._postings[token]

    def search(self, tokens: Iterable[str], elements: Iterable[str] | None) -> Iterator[Found]:
        """The documents that hold any of the tokens, best first (see ``Index.search``)."""
        known = [t for t in set(tokens) if t in self._postings]
        if len(known) > QUERY_LIMIT:
            known = sorted(known, key=lambda t: (self._frequency(t), t))[:QUERY_LIMIT]
        planes = _add_up(self._bits_of(token) for token in known)
        within = 0
        for element in self._elements if elements is None else set(elements):
            within |= self._elements.get(element, 0)
        for score, bits in _by_score(within, planes):
            for document in self._newest_first(bits):
                yield Found(document, score)

    def _frequency(self, token: str) -> int:
        posting = self._postings[token]
        return posting.bit_count() if isinstance(posting, int) else len(posting)

    def _bits_of(self, token: str) -> int:
        posting = self._postings[token]
        return posting if isinstance(posting, int) else _bits(posting)

    def _newest_first(self, bits: int) -> Iterator[Document]:
        """The documents of a bit set: newer turns first, inside a turn by birth."""
        waiting: list[tuple[int, int]] = []
        while bits:
            number = bits.bit_length() - 1
            while waiting and -waiting[0][0] > self._newest[number]:
                yield self._documents[heappop(waiting)[1]]
            heappush(waiting, (-self._documents[number].turn, number))
            bits ^= 1 << number
        while waiting:
            yield self._documents[heappop(waiting)[1]]


def _bits(numbers: array[int]) -> int:
    """Ascending numbers as a bit set."""
    room = bytearray((numbers[-1] >> 3) + 1)
    for number in numbers:
        room[number >> 3] |= 1 << (number & 7)
    return int.from_bytes(room, "little")


def _add_up(postings: Iterable[int]) -> list[int]:
    """In how many of the bit sets each bit is, in binary: plane i holds the bits with digit i set."""
    planes: list[int] = []
    for carry in postings:
        for digit, plane in enumerate(planes):
            planes[digit], carry = plane ^ carry, plane & carry
            if not carry:
                break
        if carry:
            planes.append(carry)
    return planes


def _by_score(bits: int, planes: list[int], score: int = 0) -> Iterator[tuple[int, int]]:
    """The bits by the number that the planes spell for them, the highest first; without those of number 0."""
    if not planes:
        if score and bits:
            yield score, bits
        return
    *lower, top = planes
    for part, digit in ((bits & top, 1), (bits & ~top, 0)):
        if part:
            yield from _by_score(part, lower, score << 1 | digit)
