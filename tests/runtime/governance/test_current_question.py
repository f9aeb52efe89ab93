"""The current question: what a person asked last, and never what a host said of its own accord since."""

from __future__ import annotations

from pathlib import Path

import pytest

from dcc.compiler.load import load_program
from dcc.runtime.session import Reply, Session
from dcc.runtime.store.memory import MemoryStore
from dcc.runtime.store.sqlite import SqliteStore

PROGRAM = load_program({"extends": ["standard"], "governance": {"ops": "cpat"}})
NUDGE = "Reminder: the context is getting full /goal tidy remain 3"


def asked(store: MemoryStore | SqliteStore | None = None) -> Session:
    """A session with one question that was answered."""
    session = Session.create(PROGRAM, store=store or MemoryStore())
    session.begin("What is the port?")
    answer(session)
    return session


def answer(session: Session) -> None:
    session.request()
    session.add_reply(Reply("It is 8080."))
    session.commit()


def refused(session: Session, slot: str) -> list[str]:
    """The codes with which archiving a slot is refused."""
    operation = {"op": "set_visibility", "ids": [slot], "visibility": "archived"}
    outcome = session.update_context({"reason": "to keep it small", "operations": [operation]})
    return [rejection.rule for rejection in outcome.rejections]


def test_a_nudge_takes_the_protection_of_the_question_neither_in_its_turn_nor_after_it() -> None:
    session = asked()
    session.begin(NUDGE, typed=False)
    session.request()
    session.add_reply(Reply("I have tidied up."))
    assert refused(session, "user@1") == ["protected_current_question"]
    session.commit()
    assert refused(session, "user@1") == ["protected_current_question"]
    assert refused(session, "user@2") == []


def test_the_message_of_the_running_turn_stays_even_if_it_is_a_nudge() -> None:
    session = asked()
    session.begin(NUDGE, typed=False)
    session.request()
    assert refused(session, "user@2") == ["protected_kind"]
    assert [v.slot for v in session.request().visible] == ["user@1", "assistant@1", "user@2"]


def test_nothing_is_read_from_a_nudge_or_from_a_verbatim_message() -> None:
    for how in ({"typed": False}, {"verbatim": True}):
        session = asked()
        assert session.begin(NUDGE, **how).text == NUDGE
        assert session.queue() == ()


def test_a_verbatim_message_is_a_question_and_so_is_the_next_one_that_is_typed() -> None:
    session = asked()
    session.begin(NUDGE, verbatim=True)
    answer(session)
    assert refused(session, "user@2") == ["protected_current_question"]
    session.begin("And the host?")
    answer(session)
    assert refused(session, "user@2") == []
    assert refused(session, "user@3") == ["protected_current_question"]


@pytest.mark.parametrize("again", [False, True], ids=["typed", "nudge"])
def test_a_turn_that_is_taken_back_leaves_the_question_that_was(again: bool) -> None:
    session = asked()
    session.begin(NUDGE, typed=False)
    answer(session)
    session.begin("lost", typed=not again)
    session.request()
    session.fail("provider")
    assert refused(session, "user@1") == ["protected_current_question"]


@pytest.mark.parametrize("every", [1, 100_000], ids=["from a snapshot", "from the events"])
def test_who_asked_is_known_after_the_session_is_opened_again(every: int, tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    session = asked(SqliteStore(path, "s", every=every))
    session.begin(NUDGE, typed=False)
    answer(session)
    state = session.state_hash()
    session.__exit__(None, None, None)
    session = Session.open(SqliteStore(path, "s", every=every), PROGRAM)
    assert session.state_hash() == state
    assert refused(session, "user@1") == ["protected_current_question"]
    assert refused(session, "user@2") == []
