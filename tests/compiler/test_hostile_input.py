"""Whatever is in a file, the answer is a finding with a place and a mend, never a traceback."""

from __future__ import annotations

import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dcc.compiler.load import check_source

BOMB = "a: &a0 [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"b{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 12)
)
CHAIN = "chat: &a0 [x]\n" + "".join(f"k{n}: &a{n} [*a{n - 1}]\n" for n in range(1, 200))


@pytest.mark.parametrize(
    ("data", "code"),
    [
        pytest.param(BOMB.encode(), "DCC004", id="aliases that expand to thousands of millions"),
        pytest.param(CHAIN.encode(), "DCC004", id="aliases that nest"),
        pytest.param(b"a: " + b"[" * 100_000, "DCC004", id="open brackets"),
        pytest.param(b"a: " + b"{a: " * 100_000, "DCC004", id="open braces"),
        pytest.param(b"- " * 100_000, "DCC004", id="lists in lists"),
        pytest.param(b"a: " + b"[" * 200 + b"]" * 200, "DCC004", id="deep but closed"),
        pytest.param(
            "".join(" " * n + "a:\n" for n in range(100)).encode(), "DCC004", id="deep by indentation"
        ),
        pytest.param(b"settle: &a {<<: *a, every: often}", "DCC004", id="a merge key that merges itself"),
        pytest.param(b"name: " + b"x" * 1_000_001, "DCC004", id="a huge value"),
        pytest.param(b"# " + b"x" * 4_000_001, "DCC004", id="a huge file"),
        pytest.param(b"#" * 16_000_004, "DCC004", id="more bytes than any ruleset has"),
        pytest.param(rb'name: "\U0011ffff"', "DCC003", id="an escape for no character"),
        pytest.param(b"name: 0x" + b"f" * 5_000, "DCC006", id="a number with thousands of digits"),
        pytest.param(b"name: 0b" + b"1" * 20_000, "DCC006", id="a binary number with thousands of digits"),
        pytest.param(b"\xff\xfen\x00a\x00", "DCC001", id="UTF-16"),
        pytest.param(b"\x89PNG\r\n\x1a\n\x00\x00\x00", "DCC001", id="binary"),
        pytest.param(b"name: caf\xe9\n", "DCC001", id="Latin-1"),
        pytest.param(b"name: a\x00", "DCC002", id="NUL"),
        pytest.param(b"name: a\x1b[31m", "DCC002", id="escape sequence"),
        pytest.param(b"%YAML 9.9\n---\na: b\n", "DCC003", id="another YAML"),
        pytest.param(b"'", "DCC003", id="a lone quote"),
        pytest.param(b"\t", "DCC003", id="a lone tab"),
    ],
)
def test_one_finding_with_a_mend(data: bytes, code: str) -> None:
    result = check_source("bad.yaml", data)
    assert code in [d.code for d in result.diagnostics]
    assert result.program is None
    assert all(d.help and len(d.message) < 400 for d in result.diagnostics)


def test_a_file_of_too_many_values_is_not_said_to_have_aliases() -> None:
    (found,) = check_source("bad.yaml", "chat:\n" + "- a\n" * 500_001).diagnostics
    assert (found.code, found.help, "alias" in found.message) == ("DCC004", "split it", False)


def test_a_lone_surrogate_in_a_text_is_a_finding() -> None:
    (found,) = check_source("bad.yaml", "name: \ud800").diagnostics
    assert (found.code, found.start.offset) == ("DCC002", 6)


def test_the_place_of_a_byte_that_is_not_utf8() -> None:
    (found,) = check_source("bad.yaml", "name: é\nb: ".encode() + b"\xff").diagnostics
    assert (found.start.line, found.start.column) == (2, 4)


_WORDS = st.sampled_from(
    ["life_cycle", "user", "born", "null", "context", "patch_end", "template", "{element}", "compact",
     "fields", "extends", "match", "of", "toolResult", "end", "&a", "*a", "<<", "on", "010", "1:30", "~",
     "!!str", "| ", "- ", ": ", "\n", "  ", "[", "]", "{", "}", ", ", '"', "'", "#", "\t", "目标", "\ufeff",
     "---", "/x/"]
)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(st.lists(_WORDS | st.text(string.printable, max_size=4), max_size=40).map("".join))
def test_yaml_like_text_never_raises(text: str) -> None:
    for found in check_source("fuzz.yaml", text).diagnostics:
        assert 0 <= found.start.offset <= found.end.offset <= len(text)
        assert found.help


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=60))
def test_bytes_never_raise(data: bytes) -> None:
    check_source("fuzz.yaml", data)


_LEAVES = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(["born", "x", "", "5 calls"])
)
_VALUES = st.recursive(
    _LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["start", "end", "of", "match", "type", "k", "tools", "x"]), inner, max_size=3
        )
    ),
    max_leaves=6,
)
_SECTIONS = st.sampled_from(
    ["name", "extends", "roles", "life_cycle", "settle", "context", "compact", "recall", "governance",
     "tools", "agents", "recovery", "pruning", "canon", "answer", "dataset", "runtime"]
)  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(_SECTIONS, _VALUES, max_size=4))
def test_wrong_types_anywhere_never_raise(mapping: dict[str, object]) -> None:
    import json

    check_source("fuzz.yaml", json.dumps(mapping))
