"""Taking a stored session up without its ruleset's file: it keeps the program that it was begun under."""

from __future__ import annotations

from ...compiler.program import Program
from ...compiler.program_json import read_program
from ...grammar.errors import DccError
from ..errors import StoreError
from ..kernel.content import decode
from ..kernel.events import DAMAGE, Event, damaged
from .interface import Store


def program_of(store: Store) -> Program:
    """The program of a stored session. Raises StoreError (``no_program``), EventError."""
    first = next(iter(store.rows()), None)
    compiled = Event.from_row(first).data.get("compiled") if first is not None else None
    if compiled is None:
        raise _without("keeps no program")
    try:
        digest = bytes.fromhex(compiled)
    except DAMAGE as error:
        raise damaged(error) from error
    text = decode(store.content(digest))
    try:
        return read_program(text if isinstance(text, str) else "")
    except DccError as error:
        raise _without(f"has a program that cannot be read: {error.message}") from None


def _without(why: str) -> StoreError:
    return StoreError("no_program", f"the session {why}", help="name the ruleset: --ruleset R")
