"""Scores: the values that were measured, and a naive BM25 that knows nothing of indexes."""

from __future__ import annotations

import math
import unicodedata
from pathlib import Path
from random import Random

import pytest
from canon_crowd import CAPSULES, ROUNDING, ROUNDING_BODY
from canon_project import Project

from dcc.runtime.memory.search import index
from dcc.runtime.memory.search.bm25 import scores
from dcc.runtime.memory.search.find import ranked
from dcc.runtime.memory.search.indexes import Indexes
from dcc.runtime.memory.search.tokens import STOP, terms_of

RUNNING = ("CJK UNIFIED", "HIRAGANA", "KATAKANA", "HANGUL")


def naive_terms(text: str) -> list[str]:
    """The terms of a text, character by character."""
    plain = unicodedata.normalize("NFD", text).casefold()
    plain = unicodedata.normalize("NFC", "".join(c for c in plain if not 0x300 <= ord(c) <= 0x36F))
    terms, word, before = list[str](), "", ""
    for char in plain + " ":
        running = unicodedata.name(char, "").startswith(RUNNING)
        if running and before:
            terms.append(before + char)
        before = char if running else ""
        if not running and (char.isalnum() or char == "_"):
            word += char
            continue
        word = word.strip("_")
        if len(word) >= 4 and word not in STOP:
            terms.append(word)
        word = ""
    return terms


def naive_scores(query: str, texts: dict[str, str]) -> dict[str, float]:
    """BM25 by its formula, over whole texts."""
    documents = {key: naive_terms(text) for key, text in texts.items()}
    average = sum(map(len, documents.values())) / max(1, len(documents))
    found, ceiling = dict.fromkeys(documents, 0.0), 0.0
    for term in sorted(set(naive_terms(query))):
        n = sum(term in terms for terms in documents.values())
        idf = math.log(1 + (len(documents) - n + 0.5) / (n + 0.5)) if n else 0.0
        ceiling += idf * 2.5
        for key, terms in documents.items():
            f = terms.count(term)
            if f:
                found[key] += idf * f * 2.5 / (f + 1.5 * (0.25 + 0.75 * len(terms) / average))
    return {key: score / ceiling for key, score in found.items() if score > 0}


def scored(project: Project, query: str, *, journal: bool = False) -> dict[str, float]:
    """The scores of everything that is found."""
    indexes, mount = project.canon.desk.indexes, project.canon.mounts.project
    indexes.begin()
    held = [indexes.articles(mount), *([indexes.entries(mount)] if journal else [])]
    found = scores(terms_of(query), [one.every() for one in held])
    return {hit.key: hit.score for one, of_one in zip(held, found, strict=True) for hit in ranked(one, of_one)}


def test_the_measured_values_of_three_documents(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.write(ROUNDING, capsule=CAPSULES[ROUNDING], body=ROUNDING_BODY)
    # Thirteen terms beside the two of its address, none of the queries'.
    body = "alpha bravo charlie delta echo foxtrot golf hotel india juliett kilo lima mike"
    project.write("policy/timezones", body=body)
    project.write("policy/totals-review", capsule=CAPSULES["policy/totals-review"], body="x")
    measured = {ROUNDING: 0.4211495089492681, "policy/totals-review": 0.12303127123459089}
    assert scored(project, "reconciliation totals rounding check") == pytest.approx(measured, rel=0, abs=1e-12)
    measured = {ROUNDING: 0.46718168103294583, "policy/totals-review": 0.20620602646507824}
    assert scored(project, "reconciliation totals reconciliation zzzzz") == pytest.approx(measured, rel=0, abs=1e-12)


WORDS = [
    "config", "cache", "must_not", "__init__", "about", "the", "of", "2024", "v2", "Reconciliation", "total", "totals",
    "e2e", "café", "Überprüfung", "naïve", "СЕРВЕР", "сервер", "限额", "供应商的限额", "設定ファイル", "예산은", "승인",
    "限", "“quoted”", "don't", "a/b/c.py", "x-ray", "Größe",
]  # fmt: skip


def phrase(random: Random, most: int) -> str:
    return random.choice([" ", " ", "\n", ", "]).join(random.choices(WORDS, k=random.randint(0, most)))


def compare(folder: Path, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Change a random store a few times, and compare every score after each."""
    random = Random(seed)
    if random.random() < 0.5:
        monkeypatch.setattr(index, "UNSAVED", random.choice([0, 3]))
    project = Project(folder / "proj")
    project.canon.desk.indexes = Indexes(str(folder / "cache"))
    articles: dict[str, str] = {}
    entries: dict[str, str] = {}
    for _ in range(random.randint(1, 4)):
        for _ in range(random.randint(0, 8)):
            address = f"{random.choice(['src', '文', 'données'])}/{random.choice(['cache', 'x', '限额', 'unit'])}"
            capsule, body = phrase(random, 4).replace("\n", " "), phrase(random, 30)
            if random.random() < 0.2 and address in articles:
                project.file(address).unlink()
                del articles[address]
            else:
                project.put(address, f"---\ncapsule: {capsule}\n---\n{body}\n")
                articles[address] = f"{address} {capsule} {body}"
        if random.random() < 0.5:
            body = f"Event {phrase(random, 20)}"
            name = project.call("journal", body=body, subject=["src/unit"]).data["name"]
            entries[name] = f"src/unit {body}"
        query, journal = phrase(random, 5), random.random() < 0.5
        texts = articles | entries if journal else articles
        found = scored(project, query, journal=journal)
        assert found == pytest.approx(naive_scores(query, texts), rel=0, abs=1e-12), (seed, query)


@pytest.mark.parametrize("seed", range(0, 200, 20))
def test_a_naive_bm25_agrees(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    for one in range(seed, seed + 20):
        with monkeypatch.context() as patch:
            compare(tmp_path / str(one), one, patch)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(200, 1_000, 50))
def test_a_naive_bm25_agrees_on_many_stores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    for one in range(seed, seed + 50):
        with monkeypatch.context() as patch:
            compare(tmp_path / str(one), one, patch)
