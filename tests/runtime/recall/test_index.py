"""The index against a plain scan of all documents."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dcc.runtime.recall import index as module
from dcc.runtime.recall.index import QUERY_LIMIT, Document, MemoryIndex

Filed = list[tuple[Document, frozenset[str]]]

WORDS = st.sampled_from("abcdefgh")


@pytest.fixture(autouse=True)
def small_postings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both forms of a posting, in small examples too."""
    monkeypatch.setattr(module, "DENSE", 4)


@st.composite
def filed(draw: st.DrawFn) -> Filed:
    """Documents by birth; a summary stands at an older turn than those before it."""
    documents: Filed = []
    turn = 1
    for number in range(draw(st.integers(1, 30))):
        turn += draw(st.integers(0, 1))
        at = draw(st.integers(0, turn)) if draw(st.booleans()) else turn
        element = draw(st.sampled_from(("user", "note")))
        documents.append((Document(f"{element}@{at}.{number}", element, at), draw(st.frozensets(WORDS))))
    return documents


def index_of(documents: Filed) -> MemoryIndex:
    index = MemoryIndex()
    for document, tokens in documents:
        index.add(document, tokens)
    return index


def scanned(documents: Filed, query: frozenset[str], elements: tuple[str, ...] | None) -> list[tuple[str, int]]:
    scored = [
        (len(query & tokens), document.turn, number, document.slot)
        for number, (document, tokens) in enumerate(documents)
        if query & tokens and (elements is None or document.element in elements)
    ]
    return [(slot, score) for score, _, _, slot in sorted(scored, key=lambda s: (-s[0], -s[1], s[2]))]


@given(filed(), st.frozensets(WORDS), st.sampled_from((None, ("user",), ("note", "user"), ("goal",))))
def test_it_finds_what_a_scan_finds_in_the_same_order(
    documents: Filed, query: frozenset[str], elements: tuple[str, ...] | None
) -> None:
    found = index_of(documents).search(query, elements)
    assert [(f.document.slot, f.score) for f in found] == scanned(documents, query, elements)


@given(filed(), st.data())
def test_a_purged_document_leaves_nothing(documents: Filed, data: st.DataObject) -> None:
    gone = data.draw(st.sampled_from(documents))
    index = index_of(documents)
    index.purge(gone[0].slot)
    left = [one for one in documents if one is not gone]
    for word in "abcdefgh":
        assert [f.document for f in index.search([word], None)] == [
            document for document, tokens in _by_turn(left) if word in tokens
        ]
    assert set(index._postings) == set().union(*(tokens for _, tokens in left))


def _by_turn(documents: Filed) -> Filed:
    return sorted(documents, key=lambda one: -one[0].turn)


def test_of_a_long_query_the_rarest_tokens_are_looked_for() -> None:
    words = [f"w{n}" for n in range(QUERY_LIMIT)]
    index = MemoryIndex()
    for turn in range(3):
        index.add(Document(f"user@{turn}", "user", turn), ["common"])
    index.add(Document("note@3", "note", 3), words)
    assert [f.document.slot for f in index.search(["common", *words], None)] == ["note@3"]
