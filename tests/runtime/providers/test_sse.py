"""Server-sent events: lines, fields and pieces."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dcc.runtime.providers.sse import Event, events


@pytest.mark.parametrize(
    ("stream", "found"),
    [
        ("data: a\n\n", [("message", "a")]),
        ("data:a\n\n", [("message", "a")]),
        ("data:  a\n\n", [("message", " a")]),
        ("event: ping\ndata: {}\n\ndata: b\n\n", [("ping", "{}"), ("message", "b")]),
        ("data: a\ndata: b\n\n", [("message", "a\nb")]),
        ("data: a\r\n\r\ndata: b\r\rdata: c\n\n", [("message", "a"), ("message", "b"), ("message", "c")]),
        (": a comment\n\nevent: nothing\n\ndata: a\n\n", [("message", "a")]),
        ("\ufeffdata: a\n\n", [("message", "a")]),
        ("data\n\n", [("message", "")]),
        ("id: 1\nretry: 5\nfurther: x\ndata: 你好\n\n", [("message", "你好")]),
        ("data: a\n\ndata: cut off", [("message", "a")]),
        ("data: a\n\ndata: cut off\n", [("message", "a")]),
        ("", []),
    ],
)
def test_events(stream: str, found: list[tuple[str, str]]) -> None:
    data = stream.encode()
    assert list(events([data])) == [Event(*event) for event in found]
    assert list(events([data[at : at + 1] for at in range(len(data))])) == [Event(*event) for event in found]


@given(st.text(alphabet="data: é\r\n", max_size=60), st.lists(st.integers(0, 80), max_size=8))
def test_where_a_stream_is_cut_makes_no_difference(text: str, cuts: list[int]) -> None:
    data = text.encode()
    at = [0, *sorted(cut for cut in cuts if cut < len(data)), len(data)]
    pieces = [data[start:end] for start, end in pairwise(at)]
    assert list(events(pieces)) == list(events([data]))


def test_a_long_line_in_many_pieces_is_read_once() -> None:
    (event,) = events([b"data: ", *[b"x" * 16] * 100_000, b"\n\n"])
    assert len(event.data) == 1_600_000
