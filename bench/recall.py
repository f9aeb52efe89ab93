"""What a search of the recall index costs, over many slots in two scripts, with words as frequent as in speech."""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate
from random import Random
from time import perf_counter

from dcc.runtime.recall.index import Document, MemoryIndex
from dcc.runtime.recall.tokens import query_tokens, text_tokens

SLOTS, QUERIES = 100_000, 200
WORDS_IN_A_SLOT, WORDS_IN_A_QUERY = 20, 6
VOCABULARY = 30_000

#: Hits that a search is asked for.
TOP = 3


def run(quick: bool) -> dict[str, float]:
    """Milliseconds of a search (median and 99th percentile), and microseconds of filing a slot."""
    random = Random(12)
    speak = [Speech(random, _word), Speech(random, _characters)]
    index = MemoryIndex()
    slots = SLOTS // 50 if quick else SLOTS
    filing = 0.0
    for number in range(slots):
        text = speak[number % 2].say(WORDS_IN_A_SLOT)
        start = perf_counter()
        index.add(Document(f"user@{number}", "user", number), text_tokens(text))
        filing += perf_counter() - start
    taken = sorted(_seconds(index, speak[number % 2].say(WORDS_IN_A_QUERY)) for number in range(QUERIES))
    return {
        "recall_median_ms": taken[len(taken) // 2] * 1e3,
        "recall_p99_ms": taken[len(taken) * 99 // 100] * 1e3,
        "recall_slot_us": filing / slots * 1e6,
    }


def _seconds(index: MemoryIndex, query: str) -> float:
    start = perf_counter()
    found = index.search(query_tokens(query), ("user",))
    hits = [hit for hit, _ in zip(found, range(TOP), strict=False)]
    seconds = perf_counter() - start
    assert hits == sorted(hits, key=lambda hit: (-hit.score, -hit.document.turn))
    return seconds


class Speech:
    """Says words of a vocabulary, the n-th most frequent one 1/n times as often as the first (Zipf)."""

    def __init__(self, random: Random, word: Callable[[Random], str]) -> None:
        self._random = random
        self._words = [word(random) for _ in range(VOCABULARY)]
        self._weights = list(accumulate(1 / (n + 1) for n in range(VOCABULARY)))

    def say(self, words: int) -> str:
        """So many words."""
        return " ".join(self._random.choices(self._words, cum_weights=self._weights, k=words))


def _word(random: Random) -> str:
    return "".join(random.choices("abcdefghijklmnopqrstuvwxyz", k=random.randint(3, 9)))


def _characters(random: Random) -> str:
    return "".join(chr(random.randint(0x4E00, 0x5E00)) for _ in range(random.randint(1, 4)))
