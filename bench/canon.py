"""What a large canon store costs: 10,000 articles of 1.5 KB in 700 folders, and 2,000 journal entries."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import perf_counter

from dcc.runtime.memory.canon import Canon
from dcc.runtime.memory.graph.gather import graph_of
from dcc.runtime.memory.graph.layout import laid_out
from dcc.runtime.memory.graph.page import page_of
from dcc.runtime.memory.linting import lint

ARTICLES, FOLDERS, ENTRIES = 10_000, 700, 2_000

#: Characters of an article's body.
BODY = 1_500

#: The most that a figure may be, in the unit that its name ends in.
BARS = {"canon_resolve_us": 20.0, "canon_open_ms": 300.0, "canon_lint_s": 3.0, "canon_graph_s": 8.0}

#: Paths that are resolved: five segments deep, each governed from somewhere above.
RESOLVED = 2_000


def run(quick: bool) -> dict[str, float]:
    """Microseconds to resolve a path (median), milliseconds to open a store, seconds to lint and to draw it."""
    articles = ARTICLES // 50 if quick else ARTICLES
    with TemporaryDirectory() as name:
        folder = Path(name)
        addresses = make(folder, articles, max(7, FOLDERS * articles // ARTICLES), ENTRIES * articles // ARTICLES)
        _opened(folder, addresses[0])  # The first one makes the index of the journal.
        opening = min(_opened(folder, address) for address in addresses[:5])
        canon = Canon(name)
        resolving = sorted(_resolved(canon, address) for address in Random(3).choices(addresses, k=RESOLVED))
        start = perf_counter()
        linted = lint(canon.desk)
        linting = perf_counter() - start
        assert linted.files > articles
        start = perf_counter()
        graph = graph_of(canon.desk)
        page = page_of(graph, laid_out(graph), "bench")
        drawing = perf_counter() - start
        assert len(page) > 100 * articles
    return {
        "canon_resolve_us": resolving[len(resolving) // 2] * 1e6,
        "canon_open_ms": opening * 1e3,
        "canon_lint_s": linting,
        "canon_graph_s": drawing,
    }


def _opened(folder: Path, address: str) -> float:
    """Seconds from nothing to what a session asks first: how much there is, and one article with its entries."""
    start = perf_counter()
    canon = Canon(str(folder))
    canon.status()
    reply = canon.call({"action": "read", "path": f"{address}/x/y.py"})
    seconds = perf_counter() - start
    assert reply.code == "governed"
    return seconds


def _resolved(canon: Canon, address: str) -> float:
    """Seconds to find what governs a path below an article, five segments deep."""
    path = "/".join([*address.split("/"), "deep", "er"][:4]) + "/file.py"
    start = perf_counter()
    place = canon.governing(path)
    seconds = perf_counter() - start
    assert place is not None
    return seconds


def make(folder: Path, articles: int, folders: int, entries: int) -> list[str]:
    """Make a store by hand, as somebody else's program would; the addresses of its articles."""
    random = Random(7)
    words = ["".join(random.choices("abcdefghijklmnopqrstuvwxyz", k=random.randint(3, 9))) for _ in range(2_000)]
    places = [f"src/part{n % 40}/unit{n}" if n % 2 else f"src/unit{n}" for n in range(folders)]
    addresses = [f"{places[n % folders]}/item{n}" for n in range(articles)]
    for place in places:
        (folder / ".canon/articles" / place).mkdir(parents=True, exist_ok=True)
        (folder / place).mkdir(parents=True, exist_ok=True)
    for address in addresses:
        (folder / f"{address}.py").touch()
        body = f"# {address}\n\nSee [[{random.choice(addresses)}]] and [[{random.choice(addresses)}]].\n\n"
        while len(body) < BODY:
            body += " ".join(random.choices(words, k=12)) + ".\n"
        capsule = " ".join(random.choices(words, k=10))
        text = f"---\ncapsule: {capsule}\nupdated: 2026-08-11\n---\n{body}"
        (folder / f".canon/articles/{address}.md").write_text(text, encoding="utf-8")
    journal = folder / ".canon/journal"
    journal.mkdir()
    for number in range(entries):
        subject = json.dumps(random.choice(addresses))
        head = f"---\nsubject: [{subject}]\nlogged: 2026-08-11T00:00:{number % 60:02d}.000Z\n---\n"
        (journal / f"2026-08-11-entry-{number}.md").write_text(head + "What happened.\n", encoding="utf-8")
    return addresses


if __name__ == "__main__":
    for figure, value in run(quick=False).items():
        print(f"{figure:20} {value:10.2f}")
