"""Parts of a transcript: how it is split so that each part fits into a request (runtime spec, section 4.2). Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, NamedTuple, Protocol, TypeVar

#: Of the window, what a part may take, and the least of it where its entries are large (spec 4.2).
BASE_RATIO: Final = 0.4
MIN_RATIO: Final = 0.15

#: Tokens are an estimate: what must fit has a fifth more room (spec 4.2).
MARGIN: Final = 1.2

#: Tokens of a request beside its part: the prompt, the summary so far, the thinking (spec 4.2).
OVERHEAD: Final = 4_096

#: Parts that a long transcript is split into, and the entries below which it is not (spec 4.2).
PARTS: Final = 2
LEAST_ENTRIES: Final = 4

#: Of the window, the average entry above which parts become smaller, and the entry that no part can hold (spec 4.2).
LARGE: Final = 0.1
OVERSIZED: Final = 0.5

#: Of the window, what is summarised at once; older entries beyond it are summarised first (spec 4.2 and 4.3).
AT_ONCE: Final = 0.5


class Sized(Protocol):
    """Something with a length in tokens."""

    @property
    def tokens(self) -> int: ...


S = TypeVar("S", bound=Sized)


class Shed(NamedTuple):
    """How many entries from the beginning were shed, and in how many pieces."""

    entries: int
    pieces: int


def total(entries: Sequence[Sized]) -> int:
    """The tokens of all."""
    return sum(entry.tokens for entry in entries)


def parts_of(wanted: float, entries: int) -> int:
    """How many parts there can be: at least one, and no more than entries."""
    return min(math.floor(wanted), max(1, entries)) if math.isfinite(wanted) and wanted > 1 else 1


def split_by_share(entries: Sequence[S], parts: int = PARTS) -> list[Sequence[S]]:
    """The entries in at most so many parts of about equal tokens, in their order."""
    if parts <= 1 or not entries:
        return [entries] if entries else []
    share = total(entries) / parts
    made: list[Sequence[S]] = []
    start = held = 0
    for index, entry in enumerate(entries):
        if len(made) < parts - 1 and index > start and held + entry.tokens > share:
            made.append(entries[start:index])
            start, held = index, 0
        held += entry.tokens
    return [*made, entries[start:]]


def split_by_most(entries: Sequence[S], most: int) -> list[Sequence[S]]:
    """The entries in parts of at most ``most`` tokens, the margin taken off; a larger entry ends a part of its own."""
    room = max(1, math.floor(most / MARGIN))
    made: list[Sequence[S]] = []
    start = held = 0
    for index, entry in enumerate(entries):
        if index > start and held + entry.tokens > room:
            made.append(entries[start:index])
            start, held = index, 0
        held += entry.tokens
        if entry.tokens > room:
            made.append(entries[start : index + 1])
            start, held = index + 1, 0
    return [*made, entries[start:]] if start < len(entries) else made


def ratio_of(entries: Sequence[Sized], window: int) -> float:
    """The share of the window that a part may take: smaller where the average entry is large."""
    if not entries:
        return BASE_RATIO
    average = total(entries) / len(entries) * MARGIN / window
    return max(MIN_RATIO, BASE_RATIO - min(2 * average, BASE_RATIO - MIN_RATIO)) if average > LARGE else BASE_RATIO


def most_of(entries: Sequence[Sized], window: int) -> int:
    """The most tokens of a part. What stands beside it takes at most half: a small window has no room for all of it."""
    share = math.floor(window * ratio_of(entries, window))
    return max(1, share // 2, share - OVERHEAD)


def is_oversized(entry: Sized, window: int) -> bool:
    """Whether an entry is too large to be summarised at all."""
    return entry.tokens * MARGIN > OVERSIZED * window


def is_too_much(entries: Sequence[Sized], window: int) -> bool:
    """Whether older entries are summarised first: there is more than is summarised at once, and the margin."""
    return total(entries) > math.floor(window * AT_ONCE * MARGIN)


def shed(entries: Sequence[S], most: int, share: float = AT_ONCE, parts: int = PARTS) -> Shed:
    """What must go from the beginning so that the rest is within its share of ``most`` tokens.

    One entry that is left stays, whatever its size.
    """
    budget = max(1, math.floor(most * share))
    parts = parts_of(parts, len(entries))
    gone = pieces = 0
    while total(entries[gone:]) > budget:
        split = split_by_share(entries[gone:], parts)
        if len(split) <= 1:
            break
        gone += len(split[0])
        pieces += 1
    return Shed(gone, pieces)
