"""What every verb that is given a stored session does: find the file and the session, open it, say what is wrong."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from ..compiler.load import load_program
from ..runtime.errors import StoreError
from ..runtime.session import Session
from ..runtime.store.location import VARIABLE, store_file
from ..runtime.store.reopening import program_of
from ..runtime.store.sessions import find_session
from ..runtime.store.sqlite import SqliteStore
from .reading import fail_usage

#: Codes of errors that say: what you named cannot be read, or is not there.
_UNREADABLE = frozenset(
    {
        "no_store", "foreign_file", "newer_file", "unknown_session", "ambiguous_session", "no_export", "no_program",
        "unknown_export", "store_failed", "bad_id",
    }
)  # fmt: skip

StoreOption = Annotated[
    Path | None,
    typer.Option("--store", metavar="FILE", help=f"The file of sessions (default: {VARIABLE}, else the user's own)."),
]
SessionArgument = Annotated[
    str, typer.Argument(metavar="SESSION", help="A session: its id, the beginning of it, or its name.")
]
RulesetOption = Annotated[
    str | None,
    typer.Option("--ruleset", "-r", metavar="R", help="Instead of the program that the session keeps."),
]


@contextmanager
def usage_errors() -> Iterator[None]:
    """A file or a session that is not there ends the program with exit code 2."""
    try:
        yield
    except StoreError as error:
        if error.code not in _UNREADABLE:
            raise
        fail_usage(error.message, error.help)


@contextmanager
def stored(wanted: str, file: Path | None) -> Iterator[SqliteStore]:
    """The store of a session, for reading, as it is now."""
    with usage_errors():
        path = store_file(file)
        store = SqliteStore(path, find_session(path, wanted), read_only=True)
    try:
        yield store
    finally:
        store.close()


@contextmanager
def opened(wanted: str, file: Path | None, ruleset: str | None = None) -> Iterator[Session]:
    """A stored session, for looking at it."""
    with stored(wanted, file) as store:
        yield session_in(store, ruleset)


def session_in(store: SqliteStore, ruleset: str | None = None) -> Session:
    """The session of a store, under its own program or that of a ruleset."""
    with usage_errors():
        program = program_of(store) if ruleset is None else load_program(ruleset)
    return Session.open(store, program)
