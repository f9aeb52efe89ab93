"""A turn whose first call fails is taken back, with the operations that came while it had no reply."""

import pytest
from governed import LONG, operate, program, talk

from dcc.runtime.session import Session


def begun() -> Session:
    """A committed turn with two calls and an answer, and a message without a reply yet."""
    session = Session.create(program(), system="You are brief.")
    talk(session, "Find the port of the database.", [LONG, LONG], "The port is 8080, and it was hard to find.")
    session.begin("And the host?")
    return session


SOURCES = ["toolCall@1", "toolResult@1", "toolCall@1.2", "toolResult@1.2", "assistant@1.2"]


@pytest.mark.parametrize(
    "operation",
    [
        {"op": "replace", "ids": ["assistant@1"], "content": "looked"},
        {"op": "replace", "ids": ["assistant@1.3"], "content": "8080."},
        {"op": "replace", "ids": ["toolResult@1"], "content": "nothing"},
        {"op": "set_visibility", "ids": SOURCES, "visibility": "hidden"},
        {"op": "fold", "ids": SOURCES, "description": "looked", "content": "8080", "scope_label": "port"},
    ],
    ids=["replace a reply", "replace the answer", "replace a result", "hide", "fold"],
)
def test_nothing_of_an_operation_is_left(operation: dict[str, object]) -> None:
    session = begun()
    session.fail("the provider is away")
    before, stage, messages = session.state_hash(), session.stage(), session.messages()
    session.begin("And the host?")
    assert operate(session, operation).ok
    session.request()
    session.fail("the provider is away")
    assert (session.state_hash(), session.stage(), session.messages()) == (before, stage, messages)
    assert operate(session, operation).ok
