"""An open turn that nobody goes on with: it is committed as it is, or closed and taken out of view."""

from __future__ import annotations

from ...grammar.names import PROTOCOL_ELEMENTS
from ..session import Session


def keep(session: Session) -> int | None:
    """Commit the open turn as it is; tools without a result get one that says so. Returns it; None: none is open."""
    turn = session.outlook().turn
    if turn is None:
        return None
    for call in session.resume().pending:
        session.start_tool(call.id)
    session.resume()
    session.commit()
    return turn


def drop(session: Session) -> int | None:
    """Close the open turn as interrupted, and take what was said in it off stage from the next request on.

    What a patch set in it stays: a person asked for that apart from the answer. All of it stays in the ledger.
    Returns the turn; None: none is open.
    """
    turn = session.outlook().turn
    if turn is None:
        return None
    session.abort()
    for slot in session.stage():
        element, _, place = slot.partition("@")
        said = element in PROTOCOL_ELEMENTS or element not in session.program.patchable
        if said and place.partition(".")[0] == str(turn):
            session.close(slot)
    return turn
