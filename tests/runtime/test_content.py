"""Content: exact bytes, hashes, plain text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dcc.runtime.kernel.content import (
    Call,
    Content,
    Image,
    Opaque,
    Part,
    Text,
    Thought,
    content_hash,
    decode,
    encode,
    parse_object,
    signed_thought,
    text_of,
    thought_of,
)

anything = st.text(st.characters(exclude_categories=()))
parts: st.SearchStrategy[Part] = st.one_of(
    st.builds(Text, anything),
    st.builds(Image, st.sampled_from(["image/png", "image/jpeg"]), anything),
    st.builds(Opaque, anything),
    st.builds(Call, anything, anything, anything),
)
contents: st.SearchStrategy[Content] = anything | st.lists(parts).map(tuple)


@given(contents)
def test_encoding_round_trip(content: Content) -> None:
    assert decode(encode(content)) == content


@given(contents, contents)
def test_hash_tells_contents_apart(one: Content, other: Content) -> None:
    assert (content_hash(one) == content_hash(other)) == (one == other)


@pytest.mark.parametrize("text", ["", "a\r\nb\0c", "\ud800", "\ud83d\ude00", "你好 🎉", "x" * 1_000_000])
def test_a_string_stays_a_string(text: str) -> None:
    assert decode(encode(text)) == text
    assert decode(encode((Text(text),))) == (Text(text),)


@pytest.mark.parametrize("data", [b"", b"x", b'p[["sound","a"]]', b"p{"])
def test_foreign_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"expected|Expecting"):
        decode(data)


def test_arguments_are_kept_byte_for_byte() -> None:
    assert Call("c", "read", '{ "path" : "a.py" }').arguments == '{ "path" : "a.py" }'


def test_a_mapping_becomes_compact_json_in_its_own_order() -> None:
    assert Call("c", "edit", {"z": 1, "a": ["é"]}).arguments == '{"z":1,"a":["é"]}'


def test_plain_text() -> None:
    content = (
        Text("see"),
        Image("image/png", "AAAA"),
        Call("c", "read", {"path": "a"}),
        signed_thought("hm", "c2ln"),
        Opaque('{"type":"document"}'),
        Opaque("[1]"),
    )
    assert text_of(content) == 'see\n[image/png]\nread {"path":"a"}\nhm\n[document]\n[opaque]'
    assert text_of("as it is") == "as it is"


@pytest.mark.parametrize(
    ("data", "thought"),
    [
        ('{"type":"thinking","thinking":"hm","signature":"c2ln"}', Thought("hm", "c2ln")),
        ('{"type":"thinking","thinking":"hm","thinkingSignature":"c2ln"}', Thought("hm", "c2ln")),
        ('{"type":"redacted_thinking","data":"xyz"}', Thought("", "xyz", redacted=True)),
        ('{"type":"document"}', None),
        ("no json", None),
    ],
)
def test_thinking_parts_are_read(data: str, thought: Thought | None) -> None:
    assert thought_of(Opaque(data)) == thought


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", '"a"', '{"a":NaN}', '{"a":1e999}', '{"a":' + "[" * 300 + "]" * 300 + "}", '{"a":' * 9999],
)
def test_what_is_no_sendable_object(text: str) -> None:
    assert parse_object(text) is None


def test_a_sendable_object() -> None:
    assert parse_object('{"a": {"b": [1.5, null]}}') == {"a": {"b": [1.5, None]}}
