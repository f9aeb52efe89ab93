"""Opening a session for a chat: a new one in the file of sessions, or one that is there already."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from ...compiler.program import Program
from ..agent.compaction.asked import asked_of, in_parts, room_of
from ..agent.compaction.staged import StagedCompressor
from ..agent.window import Window, agent_flags, reserve_of, window_of
from ..compaction.compressors import Compressor
from ..errors import StoreError
from ..kernel.clock import SystemClock
from ..providers.choose import Choice
from ..session import Session
from ..store.location import make_folder
from ..store.sessions import checked_id, find_session, new_id
from ..store.sqlite import SqliteStore
from ..values import GovernanceFlags


def open_store(path: Path, wanted: str | None) -> SqliteStore:
    """The session that is ``wanted``, by id, name or the beginning of its id; a new one of that id if there is none.

    Without ``wanted`` the session is new and gets an id. Raises StoreError (``ambiguous_session``, ``bad_id``,
    and those of the file).
    """
    make_folder(path)
    if wanted is None:
        return SqliteStore(path, new_id(SystemClock().now()))
    try:
        return SqliteStore(path, find_session(path, wanted))
    except StoreError as error:
        if error.code != "unknown_session":
            raise
    return SqliteStore(path, checked_id(wanted))


def open_session(
    store: SqliteStore, program: Program, compressor: Compressor | None, flags: GovernanceFlags | None = None
) -> Session:
    """The session of a store, new or taken up again (see :func:`compressor_of`); ``flags``: how it is governed.

    Where a model answers, it is given a tool to look up what the overflow ladder cuts. A new session is in the store
    from the first thing on that is said in it (``Session.create``, ``late``), or from now on where it was switched.
    """
    flags = replace(flags or GovernanceFlags(), recovers=compressor is not None)
    if store.last:
        return Session.open(store, program, compressor=compressor, flags=flags)
    return Session.create(
        program, store=store, folder=str(Path.cwd()), compressor=compressor, flags=flags, late=flags.on is None
    )


def in_window(choice: Choice, program: Program, flags: GovernanceFlags) -> tuple[GovernanceFlags, Window | None]:
    """The flags of a session that keeps to its model's window, and that window; None where no model answers.

    It is the ruleset's, else the host's (``flags``), else what the model's name says, else the usual one.
    """
    if choice.provider.name == "echo":
        return flags, None
    governance = program.sections.get("governance") or {}
    window = window_of(ruleset=governance.get("window"), model=flags.window, names=(choice.model,))
    reserve = reserve_of(window.tokens, configured=governance.get("reserve"))
    return agent_flags(flags, window, reserve, is_governed="governance" in program.sections), window


def compressor_of(
    choice: Choice, program: Program, flags: GovernanceFlags | None = None
) -> StagedCompressor | None:
    """What makes summaries, part by part where turns are long; None where no model answers: dcc's own needs none.

    The window is the ruleset's, else the host's (``flags``), else the usual one.
    """
    if choice.provider.name == "echo":
        return None
    flags, governance = flags or GovernanceFlags(), program.sections.get("governance") or {}
    window = window_of(ruleset=governance.get("window"), model=flags.window).tokens
    reserve = reserve_of(window, configured=governance.get("reserve"))
    asked = asked_of(choice.provider, choice.settings, reserve.tokens)
    return in_parts(asked, room_of(program, window, flags.max_context))
