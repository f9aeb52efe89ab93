"""An inverted index over slots: kept up to date birth by birth, searched in time that hardly grows.

The documents that hold a token are a **posting**. A search adds up whole postings at once, as bit sets: bit n
stands for document n. Scores are counted in binary, one bit set for each digit (a *plane*), so that a search
takes a few big operations for each token of the query, however frequent the token is.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator
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


class DamagedIndex(Exception):
    """What is stored of an index cannot be used: it has to be made anew from the events."""


class Index(Protocol):
    """Where slots are found by tokens. Documents are added in the order of their birth.

    ``seq``: the event up to which births are filed; whoever files them keeps it up to date.
    """

    seq: int

    def refresh(self) -> None:
        """Take over what another process has stored meanwhile: ``seq`` may change."""

    def add(self, document: Document, tokens: Iterable[str], digest: bytes = b"") -> None:
        """File a document under its tokens. ``digest``: of its content, by which a store knows it again."""

    def purge(self, slot: str) -> None:
        """Forget a document, and every token that only it held."""

    def search(self, tokens: Iterable[str], elements: Iterable[str] | None) -> Iterator[Found]:
        """The documents that hold any of the tokens: best score first, then newer turns, then by birth.

        ``elements``: only documents of these; None: of any. Raises DamagedIndex.
        """

    def clear(self) -> None:
        """Forget everything, what is stored too: the index is to be made anew, from the first event."""

    def save(self) -> None:
        """Keep what was filed with the ledger, where the index has a place there. Raises DamagedIndex, StoreError."""


class MemoryIndex:
    """An index in memory. ``newest``: a turn that none of the documents before it is newer than."""

    def __init__(self, newest: int = 0) -> None:
        self.seq = 0
        self.documents: list[Document] = []
        #: The newest turn among the documents up to each: a summary stands at an older turn than its neighbours.
        self._newest = array("L")
        self._before = newest
        self._elements: dict[str, int] = {}
        self._postings: dict[str, array[int] | int] = {}

    @property
    def newest(self) -> int:
        """The newest turn of any document."""
        return self._newest[-1] if self._newest else self._before

    def refresh(self) -> None:
        """Nobody else has it (see ``Index.refresh``)."""

    def add(self, document: Document, tokens: Iterable[str], digest: bytes = b"") -> None:
        """File a document under its tokens (see ``Index.add``)."""
        number = len(self.documents)
        self._newest.append(max(document.turn, self.newest))
        self.documents.append(document)
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
                    postings[token] = bits_of(posting)

    def purge(self, slot: str) -> None:
        """Forget a document (see ``Index.purge``). Costs O(vocabulary)."""
        gone = 0
        for number, document in enumerate(self.documents):
            if document.slot == slot:
                gone |= 1 << number
        if not gone:
            return
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
        known = rarest({token: n for token in set(tokens) if (n := self.frequency(token))})
        within = 0
        for element in self._elements if elements is None else set(elements):
            within |= self.of_element(element)
        return best(map(self.holding, known), within, self.entry)

    def clear(self) -> None:
        """See ``Index.clear``."""
        self.seq = self._before = 0
        self.documents.clear()
        del self._newest[:]
        self._elements.clear()
        self._postings.clear()

    def save(self) -> None:
        """What is in memory is kept as long as the process lives (see ``Index.save``)."""

    def frequency(self, token: str) -> int:
        """How many documents hold a token."""
        posting = self._postings.get(token, 0)
        return posting.bit_count() if isinstance(posting, int) else len(posting)

    def holding(self, token: str) -> int:
        """The documents that hold a token, as a bit set."""
        posting = self._postings.get(token, 0)
        return posting if isinstance(posting, int) else bits_of(posting)

    def of_element(self, element: str) -> int:
        """The documents of an element, as a bit set."""
        return self._elements.get(element, 0)

    def entry(self, number: int) -> tuple[Document, int]:
        """A document, and the newest turn among those up to it."""
        return self.documents[number], self._newest[number]

    def postings(self) -> Iterator[tuple[str, array[int] | int]]:
        """Every token with the numbers of the documents that hold it, ascending or as a bit set."""
        return iter(self._postings.items())


def rarest(frequencies: dict[str, int]) -> list[str]:
    """The tokens that are looked for: all of them, or the rarest ones of many."""
    if len(frequencies) <= QUERY_LIMIT:
        return list(frequencies)
    return sorted(frequencies, key=lambda token: (frequencies[token], token))[:QUERY_LIMIT]


def best(
    postings: Iterable[int], within: int, entry: Callable[[int], tuple[Document, int]]
) -> Iterator[Found]:
    """The documents ``within`` a bit set that any of the postings holds, best first (see ``Index.search``).

    ``entry`` gives a document by its number, and the newest turn among those up to it.
    """
    for score, bits in _by_score(within, _add_up(postings)):
        for document in _newest_first(bits, entry):
            yield Found(document, score)


def _newest_first(bits: int, entry: Callable[[int], tuple[Document, int]]) -> Iterator[Document]:
    """The documents of a bit set: newer turns first, inside a turn by birth."""
    waiting: list[tuple[int, int, Document]] = []
    while bits:
        number = bits.bit_length() - 1
        document, newest = entry(number)
        while waiting and -waiting[0][0] > newest:
            yield heappop(waiting)[2]
        heappush(waiting, (-document.turn, number, document))
        bits ^= 1 << number
    while waiting:
        yield heappop(waiting)[2]


def bits_of(numbers: array[int]) -> int:
    """Ascending numbers as a bit set."""
    room = bytearray((numbers[-1] >> 3) + 1)
    for number in numbers:
        room[number >> 3] |= 1 << (number & 7)
    return int.from_bytes(room, "little")


def numbers_of(posting: array[int] | int, base: int = 0) -> list[int]:
    """The numbers of a posting, ascending, ``base`` added to each."""
    if not isinstance(posting, int):
        return [base + number for number in posting]
    data = posting.to_bytes((posting.bit_length() + 7) // 8, "little")
    return [base + (n << 3) + bit for n, byte in enumerate(data) if byte for bit in range(8) if byte >> bit & 1]


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
