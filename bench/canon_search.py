"""What it costs to search a large canon store: its index is made, opened, looked at for freshness, and asked."""

from __future__ import annotations

from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import perf_counter

from dcc.runtime.memory.canon import Canon
from dcc.runtime.memory.search.indexes import Indexes

from .canon import ARTICLES, ENTRIES, FOLDERS, make

#: The most that a figure may be, in the unit that its name ends in.
BARS = {
    "canon_index_s": 4.0,
    "canon_index_open_ms": 300.0,
    "canon_fresh_ms": 60.0,
    "canon_search_ms": 20.0,
}

#: How often each is measured; the first look after a store was made reads young files again, and is left out.
ROUNDS = 15


def run(quick: bool) -> dict[str, float]:
    """Seconds to make the index; milliseconds to open it, to see that it is fresh, and to search it (medians)."""
    articles = ARTICLES // 50 if quick else ARTICLES
    with TemporaryDirectory() as name, TemporaryDirectory() as cache:
        addresses = make(Path(name), articles, max(7, FOLDERS * articles // ARTICLES), ENTRIES * articles // ARTICLES)
        making = _opened(name, cache)
        # Files that were just written are read again until the clock of the file system has gone on.
        opening = sorted(_opened(name, cache) for _ in range(ROUNDS))
        canon = Canon(name)
        canon.desk.indexes = Indexes(cache)
        canon.desk.indexes.articles(canon.mounts.project)
        looking = sorted(_looked(canon) for _ in range(ROUNDS))
        searching = sorted(_searched(canon, address) for address in Random(5).choices(addresses, k=ROUNDS))
    return {
        "canon_index_s": making,
        "canon_index_open_ms": _median(opening) * 1e3,
        "canon_fresh_ms": _median(looking) * 1e3,
        "canon_search_ms": _median(searching) * 1e3,
    }


def _median(figures: list[float]) -> float:
    return figures[len(figures) // 2]


def _opened(folder: str, cache: str) -> float:
    """Seconds from nothing to an index that may be asked."""
    start = perf_counter()
    canon = Canon(folder)
    index = Indexes(cache).articles(canon.mounts.project)
    seconds = perf_counter() - start
    assert index.known
    return seconds


def _looked(canon: Canon) -> float:
    """Seconds to see that nothing has changed."""
    canon.desk.indexes.begin()
    start = perf_counter()
    canon.desk.indexes.articles(canon.mounts.project)
    return perf_counter() - start


def _searched(canon: Canon, address: str) -> float:
    """Seconds for a search by words of an article, in a call that has looked already."""
    words = str(canon.call({"action": "read", "path": address}).data["capsule"])
    canon.desk.call = address
    canon.desk.indexes.begin(address)
    canon.desk.indexes.articles(canon.mounts.project)
    start = perf_counter()
    reply = canon.call({"action": "search", "query": words})
    seconds = perf_counter() - start
    assert reply.code == "found"
    return seconds


if __name__ == "__main__":
    for figure, value in run(quick=False).items():
        print(f"{figure:20} {value:10.2f}")
