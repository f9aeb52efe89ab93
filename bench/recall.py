"""What a search of the recall index costs, over many slots in two scripts, with words as frequent as in speech.

In memory, and in a file: the first search after a session was opened reads only what it needs.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate
from pathlib import Path
from random import Random
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

from dcc.runtime.recall.index import Document, MemoryIndex
from dcc.runtime.recall.tokens import query_tokens, text_tokens
from dcc.runtime.session import Session
from dcc.runtime.store.sqlite import SqliteStore

from .history import PROGRAM, stored

SLOTS, QUERIES = 100_000, 200
WORDS_IN_A_SLOT, WORDS_IN_A_QUERY = 20, 6
VOCABULARY = 30_000

#: Hits that a search is asked for.
TOP = 3

#: Slots on stage of the session in a file, and queries until it is opened anew.
ON_STAGE, ROUND = 200, 20


def run(quick: bool) -> dict[str, float]:
    """Milliseconds of a search (median and 99th percentile), and microseconds of filing a slot.

    ``recall_first_ms``: the first search after a session in a file was opened; ``recall_stored_ms``: one of the
    next ones, of which ``recall_stored_p99_ms`` is among the slowest.
    """
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
        **_in_file(slots, speak),
    }


def _in_file(slots: int, speak: list[Speech]) -> dict[str, float]:
    first: list[float] = []
    later: list[float] = []
    with TemporaryDirectory() as folder:
        path = Path(folder) / "sessions.db"
        memory = stored(slots, ON_STAGE, say=lambda turn: speak[turn % 2].say(WORDS_IN_A_SLOT))
        store = SqliteStore(path, "bench")
        store.append(0, list(memory.rows()), dict(memory.held()))
        with Session.open(store, PROGRAM):
            pass
        for number in range(QUERIES):
            if number % ROUND == 0:
                session = Session.open(SqliteStore(path, "bench"), PROGRAM)
            query = speak[number // 2 % 2].say(WORDS_IN_A_QUERY)
            start = perf_counter()
            session.recall(query)
            (later if number % ROUND else first).append((perf_counter() - start) * 1e3)
            if number % ROUND == ROUND - 1:
                session.__exit__(None, None, None)
    later.sort()
    return {
        "recall_first_ms": max(first),
        "recall_stored_ms": median(later),
        "recall_stored_p99_ms": later[len(later) * 99 // 100],
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


if __name__ == "__main__":
    for figure, value in run(quick=False).items():
        print(f"{figure:24} {value:10.2f}")
