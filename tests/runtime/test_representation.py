"""Stand-ins: what a request holds in the place of off-loaded content."""

from __future__ import annotations

import hashlib
import json
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dcc.runtime.kernel.content import Call, Content, Image, Text, content_hash
from dcc.runtime.kernel.representation import address, off_stage, stand_in, stand_in_call, with_images
from dcc.runtime.kernel.tokens import count_tokens

HASH = "0123456789abcdef" + "f" * 48
LINES = "".join(f"line {number}\n" for number in range(1, 101))


def digest_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def test_a_ref_names_its_artifact() -> None:
    assert stand_in(LINES, "ref", HASH) == "artifact://0123456789abcdef (242 tokens)"


def test_a_stub_names_none() -> None:
    assert stand_in(LINES, "stub", HASH) == "[left out: 242 tokens]"


def test_a_preview_is_whole_lines_and_says_what_is_left_out() -> None:
    assert stand_in(LINES, "ref", HASH, preview=40) == (
        "artifact://0123456789abcdef (242 tokens)\n"
        "line 1\nline 2\nline 3\nline 4\n"
        "[... 95 lines, 755 characters left out: artifact_get reads them ...]\n"
        "line 100"
    )


def test_where_lines_are_too_long_a_preview_ends_within_them() -> None:
    assert stand_in("x" * 500, "ref", HASH, preview=100) == (
        f"artifact://0123456789abcdef (154 tokens)\n{'x' * 75}\n"
        f"[... 400 characters left out: artifact_get reads them ...]\n{'x' * 25}"
    )
    assert stand_in("x" * 500 + "\nend", "ref", HASH, preview=20) == (
        f"artifact://0123456789abcdef (156 tokens)\n{'x' * 15}\n"
        "[... 1 line, 486 characters left out: artifact_get reads them ...]\nend"
    )


@pytest.mark.parametrize("preview", [10, 100, 300])
def test_a_preview_of_chinese_without_lines_has_head_and_tail(preview: int) -> None:
    text = "开头" + "上下文" * 400 + "结尾"
    made = stand_in(text, "ref", HASH, preview=preview)
    assert made is not None
    assert made.splitlines()[1].startswith("开头")
    assert made.endswith("结尾")


def test_a_preview_as_long_as_the_content_is_left_out() -> None:
    assert stand_in(LINES, "ref", HASH, preview=5000) == stand_in(LINES, "ref", HASH)
    assert stand_in(LINES, "ref", HASH, preview=780) == stand_in(LINES, "ref", HASH)


@pytest.mark.parametrize("how", ["ref", "stub"])
def test_no_gain_no_stand_in(how: Literal["ref", "stub"]) -> None:
    assert stand_in("ok", how, HASH) is None
    assert stand_in("", how, HASH) is None
    assert stand_in((Image("image/gif", "R0lGODlhAQABAAAA"),), how, HASH) is None


def test_parts_have_one_stand_in() -> None:
    content = (Text("see"), Image("image/png", "A" * 4000))
    assert stand_in(content, "stub", HASH) == f"[left out: {count_tokens(content)} tokens]"


PICTURES = (Text("three pictures\n" * 50), *(Image("image/png", f"{n}" * 400) for n in range(3)))


def test_a_ref_keeps_the_first_images_of_what_it_stands_for() -> None:
    text = stand_in(PICTURES, "ref", HASH, images=2)
    assert text == f"artifact://0123456789abcdef ({count_tokens(PICTURES)} tokens)"
    assert with_images(text, PICTURES, 2) == (Text(text), *PICTURES[1:3])
    assert with_images(text, PICTURES, 0) == text


def test_images_that_stay_are_no_gain() -> None:
    """Without them what is left is a word, and an address is longer than that."""
    content = (Text("see"), Image("image/png", "A" * 4_000))
    assert stand_in(content, "ref", HASH, images=1) is None
    assert stand_in(content, "ref", HASH) is not None


def test_where_only_images_go_the_whole_text_is_shown() -> None:
    text = stand_in(PICTURES, "ref", HASH, preview=10_000, images=1)
    assert text is not None
    assert text.endswith("three pictures\n\n[image/png]\n[image/png]\n[image/png]")


@given(st.text(), st.sampled_from(["ref", "stub"]), st.integers(0, 300))
def test_never_longer_than_the_content(text: str, how: Literal["ref", "stub"], preview: int) -> None:
    content = text * 20
    standing = stand_in(content, how, content_hash("x"), preview=preview)
    assert standing is None or (
        len(standing) < len(content) and count_tokens(standing) < count_tokens(content)
    )


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (LINES, "[left out: 242 tokens]"),
        ("twelve chars", "[off stage]"),
        ("[off stage]", "[off stage]"),
        ("ten chars.", "-"),
        ("好", "-"),
        ("0", "-"),
        ("", ""),
        ((), ""),
    ],
)
def test_a_result_off_stage_is_a_stub_of_some_kind(content: Content, text: str) -> None:
    assert off_stage(content) == text


@given(st.text())
def test_a_result_off_stage_costs_no_more_than_it_did_on_stage(text: str) -> None:
    assert len(off_stage(text)) <= len(text)
    assert count_tokens(off_stage(text)) <= count_tokens(text)


LONG = "x" * 201


def test_long_arguments_are_replaced_and_the_shape_stays() -> None:
    call = Call(
        "c", "edit", {"path": "a.py", "edits": [{"old": LONG, "n": 1.5, "new": "short"}], "all": None}
    )
    replaced = stand_in_call(call, "path", digest_of)
    assert (replaced.id, replaced.name) == ("c", "edit")
    assert json.loads(replaced.arguments) == {
        "path": "a.py",
        "edits": [{"old": address(digest_of(LONG)), "n": 1.5, "new": "short"}],
        "all": None,
    }


@pytest.mark.parametrize(
    ("arguments", "key"),
    [
        ({"path": LONG}, "path"),
        ({"file": {"path": LONG}}, "file.path"),
        ({"files": [LONG]}, "files.0"),
        ({"a": "x" * 200}, None),
        ("{" + " " * 300, None),
        ('["' + LONG + '"]', None),
    ],
)
def test_what_is_not_replaced(arguments: str | dict[str, object], key: str | None) -> None:
    call = Call("c", "edit", arguments)
    assert stand_in_call(call, key, digest_of) is call


def test_the_key_is_one_path_only() -> None:
    call = Call("c", "edit", {"path": LONG, "to": {"path": LONG}})
    replaced = json.loads(stand_in_call(call, "path", digest_of).arguments)
    assert replaced == {"path": LONG, "to": {"path": address(digest_of(LONG))}}
