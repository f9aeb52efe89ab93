"""No secret comes through, whole or in pieces."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dcc.runtime.agent.masking import MASK, Secrets

KEY = "sk-abcdef0123456789"


def through(secrets: Secrets, pieces: list[str]) -> str:
    said: list[str] = []
    stream = secrets.stream(said.append)
    for piece in pieces:
        stream(piece)
    stream.close()
    return "".join(said)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"the key is {KEY}.", f"the key is {MASK}."),
        (f"{KEY}{KEY}", MASK + MASK),
        ("nothing here", "nothing here"),
        (KEY[:-1], KEY[:-1]),
        (json.dumps({"k": 'quo"te\\key-123'}), '{"k": "[secret]"}'),
        ("?k=a%2Fb%2Bc%3Dd-123", "?k=[secret]"),
        ("密钥-密钥-密钥-密钥", MASK),
        (json.dumps("密钥-密钥-密钥-密钥"), f'"{MASK}"'),
    ],
)
def test_a_secret_is_masked_in_every_form(text: str, expected: str) -> None:
    assert Secrets([KEY, 'quo"te\\key-123', "a/b+c=d-123", "密钥-密钥-密钥-密钥"]).mask(text) == expected


def test_a_short_value_is_no_secret() -> None:
    assert Secrets(["short", ""]).mask("a short word") == "a short word"


def test_of_two_that_begin_together_the_longer_is_masked_whole() -> None:
    secrets = Secrets(["longsecret", "longsecret-and-more"])
    assert secrets.mask("longsecret-and-more") == MASK
    assert through(secrets, ["longsecret", "-and-", "more!"]) == f"{MASK}!"
    assert through(secrets, ["longsecret", "-and-"]) == f"{MASK}-and-"


def test_what_cannot_be_a_secret_is_said_at_once() -> None:
    said: list[str] = []
    stream = Secrets([KEY]).stream(said.append)
    stream("hello sk-abc")
    assert said == ["hello "]
    stream("x")
    assert said == ["hello ", "sk-abcx"]


def test_the_secrets_are_not_in_their_own_repr() -> None:
    assert KEY not in repr(Secrets([KEY]))


SMALL = st.text("ab", min_size=8, max_size=11)


@given(st.lists(SMALL, min_size=1, max_size=3), st.text("abc", max_size=60), st.data())
def test_however_a_text_is_cut_the_stream_says_what_the_whole_would(
    values: list[str], text: str, data: st.DataObject
) -> None:
    secrets = Secrets(values)
    text = data.draw(st.sampled_from([text, text + values[0] + text, values[0][:5] + values[-1]]))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    pieces = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    whole = secrets.mask(text)
    assert through(secrets, pieces) == whole
    assert not any(value in whole for value in values)
