"""Which documents have a term, and how often: a large part that never changes, and what was added to it since."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from .bm25 import FREQUENCY, FREQUENCY_BITS


@dataclass(frozen=True, slots=True)
class Packed:
    """The postings of all terms one after the other; those of term n end at ``ends[n + 1]``."""

    terms: tuple[str, ...] = ()
    ends: array[int] = field(default_factory=lambda: array("Q", [0]))
    postings: array[int] = field(default_factory=lambda: array("Q"))


class Postings:
    """Postings that grow by whole documents."""

    def __init__(self, packed: Packed | None = None) -> None:
        self._packed = packed or Packed()
        self._place = dict(zip(self._packed.terms, range(len(self._packed.terms)), strict=True))
        self._added: dict[str, array[int]] = {}

    def add(self, number: int, counts: Mapping[str, int]) -> None:
        """File a document under its terms."""
        above, added = number << FREQUENCY_BITS, self._added
        for term, count in counts.items():
            known = added.get(term)
            if known is None:
                added[term] = array("Q", (above | count,))
            else:
                known.append(above | count)

    def of(self, term: str) -> array[int]:
        """The postings of a term, those of documents that are gone too."""
        place, added = self._place.get(term), self._added.get(term)
        if place is None:
            return added if added is not None else array("Q")
        ends = self._packed.ends
        packed = self._packed.postings[ends[place] : ends[place + 1]]
        return packed if added is None else packed + added

    def terms(self) -> list[str]:
        """Every term that a document has or had, in order."""
        return sorted(self._place.keys() | self._added.keys())

    def packed(self, numbers: Sequence[int | None]) -> Packed:
        """All postings as one part. ``numbers``: the new number of each document; None: it is gone."""
        changed = any(number != old for old, number in enumerate(numbers))
        kept, ends, postings = list[str](), array("Q", [0]), array("Q")
        for term in self.terms():
            found = self.of(term)
            if changed:
                pairs = ((numbers[posting >> FREQUENCY_BITS], posting & FREQUENCY) for posting in found)
                found = array("Q", [number << FREQUENCY_BITS | f for number, f in pairs if number is not None])
            if found:
                kept.append(term)
                postings += found
                ends.append(len(postings))
        return Packed(tuple(kept), ends, postings)


def is_sound(packed: Packed) -> bool:
    """Whether the parts of packed postings fit each other."""
    ends = packed.ends
    return len(ends) == len(packed.terms) + 1 and ends[0] == 0 and ends[-1] == len(packed.postings)
