"""Completion and hints of the chat's line."""

from __future__ import annotations

import pytest

from dcc.cli.chat_line import hint, suggestions
from dcc.compiler.load import load_program
from dcc.runtime.session import Reply, Session


@pytest.fixture
def session() -> Session:
    session = Session.create(load_program("standard"))
    session.begin("hello")
    session.request()
    session.add_reply(Reply("there", pins=("one",)))
    session.commit()
    session.begin("/pin two")
    return session


@pytest.mark.parametrize(("typed", "is_told"), [("/help", False), ("/quit ", False), ("/Quit", False), ("/hepl", True)])
def test_a_word_of_the_chat_is_no_mistake(session: Session, typed: str, is_told: bool) -> None:
    assert bool(hint(typed, session.program)) == is_told


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("/cancelpin ", ["p01", "p02"]),
        ("/dc-keep user", ["user@1"]),
        ("/dc-keep ", ["pin_user_p02@1", "pin_model_p01@1", "assistant@1", "user@1"]),
        ("/dc-end go", ["goal"]),
        ("/dc-end user@", ["user@1"]),
        ("/dc-unkeep al", ["all"]),
        ("/cpat u", ["undo"]),
        ("/goal ship it ro", ["roll"]),
        ("hello", []),
        ("/dc-status", []),
    ],
)
def test_what_is_offered(session: Session, typed: str, offered: list[str]) -> None:
    at, words = suggestions(typed, session)
    assert words == offered
    assert at == (typed.rfind(" ") + 1 if words else at)


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("hello", ""),
        ("hello /goal ship it remain 3 ", ""),
        ("/", "expected: a command or an element to patch"),
        ("/dc-keep ", "expected: a slot such as toolResult@3 or the end of the line    /dc-keep [slot]"),
        ("/goal ship it ", "expected: remain, roll or refresh"),
    ],
)
def test_what_is_hinted(session: Session, typed: str, told: str) -> None:
    assert hint(typed, session.program) == told


def test_what_is_wrong_with_a_line_is_hinted(session: Session) -> None:
    assert "/cancelpin" in hint("/cancelpin x y", session.program)
    assert "the number of a pin such as p01" in hint("/cancelpin x y", session.program)
