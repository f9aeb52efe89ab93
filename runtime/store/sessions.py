"""The sessions of a file: which there are, which one is meant, and how a new one is called."""

from __future__ import annotations

import secrets
import sqlite3
import unicodedata
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, NamedTuple

from ..errors import StoreError
from ..kernel.events import DAMAGE, Event, EventError
from .schema import answering, open_file

#: Characters of an id: as many as a name of a file has bytes at most.
LONGEST_ID: Final = 255

#: The end of the times that can be shown: the beginning of the year 9999, in seconds since the epoch.
_YEAR_9999: Final = 253_370_764_800.0

#: Control characters, and what ends a line or a paragraph (Unicode general categories).
_UNSEEN: Final = ("Cc", "Zl", "Zp")


class Summary(NamedTuple):
    """A session in a few words. ``created`` and ``used`` (its last write) are seconds since the epoch.

    ``is_damaged``: its events cannot be read, so the numbers say nothing.
    """

    id: str
    name: str
    turns: int
    calls: int
    is_open: bool
    events: int
    created: float
    used: float
    is_damaged: bool = False


def sessions_in(path: Path | str) -> list[Summary]:
    """The sessions of a file, the last used first; none when there is no file, or nothing in it. Raises StoreError."""
    path = Path(path)
    try:
        connection = open_file(path, read_only=True)
    except StoreError as error:
        if error.code == "no_store":
            return []
        raise
    try:
        with answering(path):
            known = connection.execute(
                "SELECT number, id, name, created, used FROM sessions ORDER BY used DESC, number DESC"
            ).fetchall()
            return [
                _summary(connection, number, id, name, _time(created), _time(used))
                for number, id, name, created, used in known
            ]
    finally:
        connection.close()


def find_session(path: Path | str, wanted: str) -> str:
    """The id of the session that is meant: by its id, the beginning of it, or its name.

    Raises StoreError: ``unknown_session``, ``ambiguous_session``.
    """
    path = Path(path)
    known = sessions_in(path)
    for found in (
        [s.id for s in known if s.id == wanted],
        [s.id for s in known if wanted and s.name == wanted],
        [s.id for s in known if wanted and s.id.startswith(wanted)],
    ):
        if len(found) == 1:
            return found[0]
        if found:
            raise StoreError("ambiguous_session", f"{wanted!r} may be {', '.join(found)}", help="name one of them")
    if not path.exists():
        raise StoreError("unknown_session", f"there is no file {path}", help="name the file of sessions: --store FILE")
    shown = ", ".join(s.id for s in known[:5]) or "none yet"
    raise StoreError("unknown_session", f"{path} has no session {wanted!r}", help=f"last used: {shown}")


def new_id(now: float) -> str:
    """An id for a new session: the day, and six digits by chance. ``now``: seconds since the epoch."""
    return f"{datetime.fromtimestamp(now, UTC):%Y%m%d}-{secrets.token_hex(3)}"


def checked_id(wanted: str) -> str:
    """An id that a person gave a new session, as it is.

    Raises StoreError (``bad_id``) for one that nobody could type again, or that would not stand in one line of a list:
    blank, with blanks around it, with control characters, or longer than :data:`LONGEST_ID`.
    """
    if not wanted.strip():
        what = "is blank"
    elif wanted != wanted.strip():
        what = "begins or ends with a blank"
    elif len(wanted) > LONGEST_ID:
        what = f"has {len(wanted)} characters, at most {LONGEST_ID} were expected"
    elif any(unicodedata.category(c) in _UNSEEN for c in wanted):
        what = "holds control characters"
    else:
        return wanted
    raise StoreError("bad_id", f"{wanted[:40]!r} is no id of a session: it {what}", help="such as work or 2025-01-02")


def _time(stored: object) -> float:
    """A time as it is stored; 0 for one that no calendar has, as a clock that was wrong leaves it."""
    return stored if isinstance(stored, float) and 0 <= stored < _YEAR_9999 else 0.0


def _summary(connection: sqlite3.Connection, number: int, id: str, name: str, created: float, used: float) -> Summary:
    newest = connection.execute("SELECT row FROM events WHERE session = ? ORDER BY seq DESC", (number,))
    try:
        turns, calls, is_open, events = _standing(Event.from_row(row) for (row,) in newest)
    except (EventError, *DAMAGE):
        # The others are still to be found.
        return Summary(id, name, 0, 0, False, 0, created, used, is_damaged=True)
    return Summary(id, name, turns, calls, is_open, events, created, used)


def _standing(newest_first: Iterable[Event]) -> tuple[int, int, bool, int]:
    """Turns, completed calls, whether a turn is open, and events: told by the last few of them.

    An event says how many turns and calls there were before it.
    """
    last: Event | None = None
    is_open = False
    for event in newest_first:
        last = last or event
        if event.kind in ("turn_begun", "turn_committed", "turn_interrupted"):
            is_open = event.kind == "turn_begun"
            break
    if last is None:
        return 0, 0, False, 0
    return last.turn + (last.kind == "turn_begun"), last.ordinal + (last.kind == "call_completed"), is_open, last.seq
