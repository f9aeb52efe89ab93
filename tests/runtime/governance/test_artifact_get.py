"""artifact_get: a look at stored content that changes nothing and never fails."""

from __future__ import annotations

import re
from typing import Any

import governed
import pytest
from pictures import picture

from dcc.runtime.governance.artifact import MOST_IMAGES
from dcc.runtime.kernel.content import Content, Part, Text, decode, text_of
from dcc.runtime.kernel.representation import address
from dcc.runtime.session import Reply, Session, ToolCall

LINES = "\n".join(f"line {n} of the log{' ERROR' if n % 50 == 0 else ''}" for n in range(1, 201))


@pytest.fixture
def session() -> Session:
    one = Session.create(governed.program())
    governed.talk(one, "Read the log.", [LINES])
    return one


def uri(session: Session, slot: str = "toolResult@1") -> str:
    return address(session._recorder.ledger.slots[slot].digest.hex())


@pytest.mark.parametrize(
    "form",
    [
        "{uri}", " {uri} ", "{uri} (1,200 tokens)", "[{uri}]", "note\n{uri} (9 tokens)", "toolResult@1",
        "[block:toolResult@1]",
    ],
)  # fmt: skip
def test_all_ways_to_name_it(session: Session, form: str) -> None:
    before = session.state_hash()
    assert session.artifact_text(form.format(uri=uri(session)), 100_000) == LINES
    assert session.state_hash() == before


def test_a_part_says_how_much_is_left(session: Session) -> None:
    text = session.artifact_text(uri(session), 100)
    assert text.startswith(LINES[:100] + "\n[")
    assert f"{len(LINES) - 100} of {len(LINES)} characters left: offset 100" in text


def test_the_parts_make_the_whole(session: Session) -> None:
    parts = [session.artifact_text(uri(session), 700, at).split("\n[")[0] for at in range(0, len(LINES), 700)]
    assert "".join(parts) == LINES


def test_an_offset_behind_the_end(session: Session) -> None:
    assert f"there are {len(LINES)} characters" in session.artifact_text(uri(session), 100, 10_000_000)


@pytest.mark.parametrize(
    ("pattern", "found"), [("ERROR$", [50, 100, 150, 200]), ("line (7|9) ", [7, 9]), ("of the (", [])]
)
def test_lines_that_match(session: Session, pattern: str, found: list[int]) -> None:
    text = session.artifact_text(uri(session), grep=pattern)
    assert [int(line.split(":")[0]) for line in text.splitlines() if line[0].isdecimal()] == found


def test_what_is_no_pattern_is_looked_for_as_it_is() -> None:
    one = Session.create(governed.program())
    governed.talk(one, "Read.", ["call(f(x\nand more"])
    assert one.artifact_text("toolResult@1", grep="f(x") == "1: call(f(x"


@pytest.mark.parametrize(
    "wrong",
    [
        "artifact://0000000000000000", "artifact://../../etc/passwd", "artifact://xyz", "http://example.org/a",
        "file:///etc/passwd", "../secret", "toolResult@99", "artifact://ABCDEF0123456789", "", "   ", "\0",
        "artifact://0123456789abcdef0",
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(session: Session, wrong: str) -> None:
    text, is_error = session.governance.artifact(wrong)
    assert is_error
    assert text


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ('{"uri": "toolResult@1", "max_chars": "%s"}' % ("9" * 5_000), "max_chars must be a whole number"),
        ('{"uri": "toolResult@1", "offset": "half"}', "offset must be a whole number; left out it is 0"),
        ('{"uri": "toolResult@1", "max_chars": 10.5}', "max_chars must be a whole number; left out it is 6,000"),
        ('{"uri": "toolResult@1", "offset": true}', "offset must be a whole number"),
        ('{"uri": "toolResult@1", "grep": ["ERROR"]}', "grep must be a text"),
        ('{"uri": "manifest", "max_chars": 1e999}', "1e999, which is out of range"),
        ('{"uri": "manifest"', "end too early"),
        ('["manifest"]', "no JSON object"),
    ],
    ids=["huge", "word", "fraction", "truth", "list", "range", "cut", "array"],
)
def test_what_cannot_be_meant_is_said(session: Session, arguments: str, says: str) -> None:
    content, is_error = session.governance.serve_artifact(arguments)
    assert is_error
    assert says in text_of(content)


def test_a_float_without_a_fraction_is_a_number_of_characters(session: Session) -> None:
    content, is_error = session.governance.serve_artifact('{"uri": "toolResult@1", "max_chars": 10.0, "offset": 5.0}')
    assert not is_error
    assert text_of(content).startswith(LINES[5:15] + "\n[")


@pytest.mark.parametrize(
    ("arguments", "is_error"),
    [
        ({"uri": "toolResult@1"}, False),
        ({"uri": "toolResult@1", "max_chars": "50", "offset": None, "grep": ""}, False),
        ({"uri": "toolResult@1", "max_chars": -5, "offset": -3}, False),
        ({"uri": "manifest"}, False),
        ({"uri": None}, True),
        ({}, True),
        ("no JSON", True),
    ],
)  # fmt: skip
def test_as_a_tool(session: Session, arguments: Any, is_error: bool) -> None:
    session.begin("Look again.")
    session.request()
    session.add_reply(Reply("", calls=(ToolCall("c", "artifact_get", arguments),)))
    served = session.serve("c")
    assert served is not None
    assert served.is_error is is_error


def test_a_lost_payload_is_a_message(session: Session) -> None:
    digest = session._recorder.ledger.slots["toolResult@1"].digest
    del session._recorder.store._contents[digest]  # type: ignore[attr-defined]
    text, is_error = session.governance.artifact("toolResult@1")
    assert is_error
    assert "is lost" in text


IMAGES = (Text("page one"), picture(1), Text("page two"), picture(2), Text("the end"))


def looked_at(content: Content, **arguments: Any) -> Content:
    """What the tool answers when it is asked for a result with this content."""
    one = Session.create(governed.program())
    one.begin("Look.")
    one.request()
    one.add_reply(Reply(calls=(ToolCall("a", "look", {}),)))
    slot = one.add_result("a", content)
    one.request()
    one.add_reply(Reply(calls=(ToolCall("b", "artifact_get", {"uri": slot, **arguments}),)))
    served = one.serve("b")
    assert served is not None
    assert decode(one._recorder.content(one._recorder.ledger.slots[served.slot].digest)) == served.content
    return served.content


def test_images_that_are_named_in_the_part_come_with_it() -> None:
    assert looked_at(IMAGES) == (Text(text_of(IMAGES)), picture(1), picture(2))
    first = text_of(IMAGES[:2])
    content = looked_at(IMAGES, max_chars=len(first))
    assert content[1:] == (picture(1),)
    assert looked_at(IMAGES, offset=len(first) + 1)[1:] == (picture(2),)
    assert isinstance(looked_at(IMAGES, max_chars=5), str)
    assert isinstance(looked_at(IMAGES, grep="page"), str)


def test_a_look_at_many_images_says_where_it_goes_on() -> None:
    """Read on from the offsets that the answers name, all of them are seen, each once."""
    many = tuple(picture(n) for n in range(20))
    seen: list[Part] = []
    offset: int | None = 0
    while offset is not None:
        said, *images = looked_at(many, offset=offset)
        seen += images
        assert len(images) <= MOST_IMAGES
        assert isinstance(said, Text)
        more = re.search(r"offset (\d+) goes on", said.text)
        offset = int(more[1]) if more is not None else None
    assert seen == list(many)
