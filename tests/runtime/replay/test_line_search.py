"""The word index finds a line in exactly the texts of which it is a substring."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from dcc.runtime.replay.calls import bits_of
from dcc.runtime.replay.search import TextIndex

TEXTS = st.lists(st.text(alphabet="ab_é .(\n", max_size=30), max_size=6)


@given(TEXTS, st.text(alphabet="ab_é .(", max_size=8))
def test_the_same_as_looking_into_each_text(texts: list[str], line: str) -> None:
    found = list(bits_of(TextIndex(texts).holders(line)))
    assert found == [n for n, text in enumerate(texts) if line in text]


def test_a_line_may_begin_and_end_inside_a_word() -> None:
    index = TextIndex(["counter = total(hours)", "total", ""])
    assert list(bits_of(index.holders("ter = total(ho"))) == [0]
