"""Operations of one's own: what their effects need, what their texts are filled with, what they may change."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import governed
import pytest

from dcc.runtime.session import Session

Begin = Callable[[str], Session]


@pytest.fixture
def begin(tmp_path: Path) -> Begin:
    """A conversation under the eight operations and one's own."""

    def session_with(declared: str) -> Session:
        file = tmp_path / "mine.ops"
        file.write_text(declared, encoding="utf-8")
        session = Session.create(governed.program(ops=["cpat", str(file)], gates=["replace", "redact"]))
        governed.talk(session, "Find the port.", [governed.LONG, governed.OBJECT], "It is 8080.")
        governed.talk(session, "Thanks.")
        return session

    return session_with


@pytest.mark.parametrize(
    ("declared", "asked", "needs"),
    [
        ('how: word(archived|hidden) "how" effect hold how', {}, "how"),
        ('content: text "what" effect hold archived effect bear { content: content }', {"content": " \n"}, "content"),
        ('content: text "what" effect replace { content: content }', {}, "content"),
        ('names: texts "what" effect purge { fields: names }', {"names": [" "]}, "names"),
    ],
    ids=["hold", "bear", "replace", "purge"],
)
def test_an_effect_does_not_come_without_what_it_is_made_of(
    begin: Begin, declared: str, asked: dict[str, Any], needs: str
) -> None:
    session = begin(f'op mine {{ "Try it." ids: slots "which" {declared} }}')
    before, shown = session.state_hash(), session.messages()
    slot = "toolResult@1.2" if needs == "names" else "assistant@1"
    outcome = governed.operate(session, {"op": "mine", "ids": [slot], **asked})
    assert [(r.rule, r.message) for r in outcome.rejections] == [("missing_argument", f"mine needs {needs}")]
    assert (session.state_hash(), session.messages()) == (before, shown)


def test_an_effect_that_does_not_come_needs_nothing(begin: Begin) -> None:
    session = begin(
        'op mine { "Try it." ids: slots "which" content: text "what" '
        "effect hold archived effect bear { content: content } when not blank(content) }"
    )
    assert governed.operate(session, {"op": "mine", "ids": ["assistant@1"]}).applied == 1


def test_a_prefix_is_filled_with_what_arguments_say(begin: Begin) -> None:
    """Names may hold dashes; lists, numbers and truth are said as people write them."""
    session = begin(
        'op mine { "Try it." ids: slots "a" scope-label: text "b" n: count "c" sure: flag "d" names: texts "e" '
        'none: text "f" content: text "g" effect hold archived effect bear '
        '{ content: content, prefix: "{scope-label}|{n}|{sure}|{names}|{ids}|{none}|{{n}} " } }'
    )
    asked = {"scope-label": "{n}", "n": 0, "sure": True, "names": ["x", "y"], "content": "done"}
    outcome = governed.operate(session, {"op": "mine", "ids": ["assistant@1"], **asked})
    assert outcome.ok, outcome.rejections
    assert "{n}|0|true|x, y|assistant@1||{0}\n\ndone" in [message["content"] for message in session.messages()]


def test_a_refusal_says_what_was_given_shortly_and_fills_it_in_once(begin: Begin) -> None:
    session = begin(
        'op mine { "Try it." ids: slots "a" b: text "b" refuse no when count(ids) > 0 "{b}: {ids}" effect lift }'
    )
    outcome = governed.operate(session, {"op": "mine", "ids": ["assistant@1"], "b": "{ids}"})
    assert outcome.rejections[0].message == "{ids}: assistant@1"
    outcome = governed.operate(session, {"op": "mine", "ids": ["assistant@1"], "b": "b" * 5_000})
    assert len(outcome.rejections[0].message) < 100


def test_a_ref_becomes_a_stub_and_full_again(begin: Begin) -> None:
    session = begin(
        'op refer { "Try it." ids: slots "a" effect represent ref }\n'
        'op shorten { "Try it." ids: slots "a" effect represent stub }\n'
    )
    whole, ids = session.messages(), ["toolResult@1"]

    def shape() -> str:
        return session._recorder.ledger.slots["toolResult@1"].shape.how

    for op, how in (("refer", "ref"), ("shorten", "stub"), ("refer", "ref"), ("restore", "full")):
        assert governed.operate(session, {"op": op, "ids": ids}).applied == 1
        assert shape() == how
        assert governed.operate(session, {"op": op, "ids": ids}).applied == 0
    assert session.messages() == whole
    both = governed.operate(session, {"op": "refer", "ids": ids}, {"op": "shorten", "ids": ids})
    assert (both.applied, shape()) == (2, "stub")
    session.undo(1)
    assert (session.messages(), shape()) == (whole, "full")


@pytest.mark.parametrize(("content", "rules"), [("It is 8080, and nothing else is open.", ["no_gain"]), ("8080", [])])
def test_another_text_must_be_smaller_where_the_operation_says_so(
    begin: Begin, content: str, rules: list[str]
) -> None:
    session = begin(
        'op mine { "Try it." ids: slot "a" content: text "b" guard gain effect replace { content: content } }'
    )
    outcome = governed.operate(session, {"op": "mine", "ids": ["assistant@1.3"], "content": content})
    assert [r.rule for r in outcome.rejections] == rules


@pytest.mark.parametrize(("note", "rules"), [("the port is 8080", []), ("a port", ["preserve_missing"])])
def test_a_note_may_hold_what_is_to_be_preserved(begin: Begin, note: str, rules: list[str]) -> None:
    session = begin(
        'op mine { "Try it." ids: slots "a" note: text "b" preserve: texts "c" guard preserve '
        "effect represent ref { note: note } }"
    )
    asked = {"op": "mine", "ids": ["toolResult@1"], "note": note, "preserve": ["8080"]}
    assert [r.rule for r in governed.operate(session, asked).rejections] == rules


def test_an_effect_acts_on_what_the_one_before_it_made(begin: Begin) -> None:
    """Replaced and held: the new text is archived, and the old one does not come back beside it."""
    session = begin(
        'op mine { "Try it." ids: slots "a" content: text "b" '
        "effect replace { content: content } effect hold archived }\n"
        'op back { "Try it." ids: slots "a" content: text "b" effect replace { content: content } effect lift }'
    )
    before = session.state_hash()
    outcome = governed.operate(session, {"op": "mine", "ids": ["assistant@1"], "content": "I look."})
    (new,) = outcome.created
    assert session.governance.archived() == (new,)
    assert not {new, "assistant@1"} & set(session.stage())
    again = governed.operate(session, {"op": "back", "ids": [new], "content": "I looked."})
    assert again.ok, again.rejections
    assert next(slot for slot in session.stage() if slot.startswith("assistant@1")) == again.created[0]
    session.undo(2)
    assert session.state_hash() == before


def test_what_one_operation_bears_has_names_of_its_own(begin: Begin) -> None:
    session = begin(
        'op mine { "Try it." ids: slots "a" content: text "b" effect replace { content: content } '
        "effect bear { content: content } effect hold archived }"
    )
    mine = {"op": "mine", "ids": ["assistant@1", "assistant@1.2"], "content": "looked"}
    outcome = governed.operate(session, mine, {"op": "set_visibility", "ids": ["$0.2"], "visibility": "hidden"})
    assert outcome.ok, outcome.rejections
    assert len(outcome.created) == 3
    assert set(outcome.created[:2]) <= set(session.governance.archived())
    assert outcome.created[2] in session.governance.hidden()


def test_a_redaction_of_ones_own_meets_what_is_gone(begin: Begin) -> None:
    session = begin('op forget { "Try it." ids: slots "a" names: texts "b" effect purge { fields: names } }')
    forget = {"op": "forget", "ids": ["toolResult@1.2"], "names": ["token"]}
    assert governed.operate(session, forget).ok
    assert [r.rule for r in governed.operate(session, forget).rejections] == ["artifact_missing"]
