"""Postings of a block in buckets: what is put together run by run is what one run would hold."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dcc.runtime.store import buckets
from dcc.runtime.store.buckets import joined, lay, offsets_of, pack, posting_in, posting_of, size_of, unpack


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both forms of a posting, in small examples too."""
    monkeypatch.setattr(buckets, "BLOCK", 64)
    monkeypatch.setattr(buckets, "WIDTH", 8)


@st.composite
def runs(draw: st.DrawFn) -> list[dict[str, list[int]]]:
    """Documents come in order of their birth, so each run's are newer than those of the runs before it."""
    found: list[dict[str, list[int]]] = []
    bounds = sorted(draw(st.sets(st.integers(0, 64), min_size=2, max_size=6)))
    for first, end in pairwise(bounds):
        numbers = st.sets(st.integers(first, end - 1), min_size=1).map(sorted)
        found.append(draw(st.dictionaries(st.sampled_from(("tea", "苹果", "@user", "w1")), numbers, min_size=1)))
    return found


@given(runs())
def test_runs_hold_together_what_each_brought(found: list[dict[str, list[int]]]) -> None:
    data = b"".join(pack({token: posting_of(numbers) for token, numbers in run.items()}) for run in found)
    tokens = {token for run in found for token in run}
    expected = {token: [n for run in found for n in run.get(token, [])] for token in tokens}
    held = unpack(data)
    assert {token: offsets_of(posting) for token, posting in held.items()} == expected
    assert {token: offsets_of(posting_in(data, token)) for token in tokens} == expected
    assert {token: size_of(posting) for token, posting in held.items()} == {t: len(n) for t, n in expected.items()}
    assert unpack(pack(held)) == held
    assert posting_in(data, "te") == b""


@given(st.sets(st.integers(0, 63)).map(sorted), st.integers(0, 64))
def test_the_form_of_a_posting_is_told_by_its_length(numbers: list[int], at: int) -> None:
    older, newer = ([n for n in numbers if n < at], [n for n in numbers if n >= at])
    posting = joined(posting_of(older), posting_of(newer))
    assert offsets_of(posting) == numbers
    assert posting == posting_of(numbers)
    room = bytearray(16)
    lay(room, 8, posting)
    assert int.from_bytes(room, "little") >> 64 == sum(1 << n for n in numbers)
