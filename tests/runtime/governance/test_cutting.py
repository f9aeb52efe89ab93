"""Cutting: of what is too long as much is shown as there is room for, whatever it is made of."""

from __future__ import annotations

import base64
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pictures import picture

from dcc.runtime.governance.cutting import NO_ROOM, Room, Short, shortened
from dcc.runtime.kernel.content import Content, Text, content_hash
from dcc.runtime.kernel.representation import stand_in, with_images
from dcc.runtime.kernel.tokens import count_tokens


def cut(content: Content, room: Room) -> tuple[Short, Content]:
    """What stands for a content, as it is counted and as it is rendered."""
    short = shortened(content, content_hash(content), room)
    assert short is not None
    text = stand_in(content, "ref", content_hash(content), preview=short.preview, images=short.images)
    assert text is not None
    return short, with_images(text, content, short.images)


LONG: dict[str, str] = {
    "lines": "".join(f"{n} a line of a log\n" for n in range(40_000)),
    "one line": json.dumps([{"n": n, "name": f"row {n}"} for n in range(30_000)]),
    "words": "word " * 200_000,
    "Chinese": "上下文太长了，需要截断。\n" * 30_000,
    "Chinese in one line": "上下文太长了" * 60_000,
    "base64": base64.b64encode(bytes(range(256)) * 3_000).decode(),
    "emoji before words": "😀" * 100_000 + "word " * 100_000,
    "words before emoji": "word " * 100_000 + "😀" * 100_000,
    "CRLF": "a line of a log\r\n" * 40_000,
}


@pytest.mark.parametrize("tokens", [100, 1_000, 30_000])
@pytest.mark.parametrize("kind", LONG)
def test_a_room_is_filled_with_head_and_tail(kind: str, tokens: int) -> None:
    text = LONG[kind]
    short, made = cut(text, Room(tokens))
    assert isinstance(made, str)
    assert count_tokens(made) == short.tokens
    assert 0.8 * tokens <= short.tokens <= tokens
    address, *_ = made.split("\n")
    assert address == f"artifact://{content_hash(text)[:16]} ({count_tokens(text)} tokens)"
    shown = made.removeprefix(f"{address}\n")
    head, between, tail = shown.partition("[... ")
    middle, _, tail = tail.partition(": artifact_get reads them ...]\n")
    assert between
    assert middle.endswith("characters left out")
    assert text.startswith(head.removesuffix("\n"))
    assert text.rstrip("\n").endswith(tail)


@given(
    st.lists(st.sampled_from(["a", "word ", "上下文", "\n", "😀", "0123456789abcdef" * 4]), min_size=1, max_size=30),
    st.integers(20, 300),
    st.integers(0, 4_000),
    st.integers(0, 8_000),
)
def test_what_stands_there_fits_and_is_shorter(pieces: list[str], times: int, tokens: int, characters: int) -> None:
    text = "".join(pieces) * times
    short = shortened(text, content_hash(text), Room(tokens, characters))
    bare = stand_in(text, "ref", content_hash(text))
    assert (short is None) == (bare is None)
    if short is not None and short.preview:
        assert short.tokens <= tokens
        assert short.characters <= characters
    if short is not None:
        assert 0 < short.tokens < count_tokens(text)
        assert 0 < short.characters < len(text)


def test_without_room_only_the_address_is_left() -> None:
    text = LONG["lines"]
    assert cut(text, NO_ROOM)[1] == f"artifact://{content_hash(text)[:16]} ({count_tokens(text)} tokens)"
    assert shortened("short", content_hash("short"), NO_ROOM) is None


@pytest.mark.parametrize(
    ("text", "images", "room", "kept"),
    [
        ("see below", 1, 700, 0),
        ("see below", 10, 1_700, 2),
        (LONG["lines"], 1, 30_000, 1),
        (LONG["lines"], 1, 1_600, 1),
        (LONG["lines"], 1, 1_400, 0),
        (LONG["lines"], 100, 30_000, 19),  # half of the room is theirs
        ("see below", 100, 30_000, 39),  # what the text does not need is theirs, too
    ],
)
def test_images_stay_beside_the_text_as_far_as_there_is_room(text: str, images: int, room: int, kept: int) -> None:
    content = (Text(text), *(picture(n) for n in range(images)))
    short, made = cut(content, Room(room))
    assert short.tokens == count_tokens(made) <= room
    said = made if isinstance(made, str) else made[0]
    assert (() if isinstance(made, str) else made[1:]) == content[1 : 1 + kept]
    assert text[:9] in (said if isinstance(said, str) else str(said))
