"""Recovering: what becomes of a request that was refused for its length, in a run and in a chat alike."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from ..providers.errors import ProviderError
from ..session import Session
from .failures import Failure, failure_of
from .ladder import Ladder, Rung, rungs_of

Notice = tuple[str, str]


def ladder_of(session: Session) -> Ladder:
    """The overflow ladder that a session's rules declare, for one prompt."""
    rungs: tuple[Rung, ...] = ("compact", "truncate_results")
    steps = {rung: partial(session.recover, rung) for rung in rungs}
    return Ladder(rungs_of(session.program.sections.get("recovery")), steps)


def climb(ladder: Ladder, failure: Failure) -> Notice | None:
    """The first rung that gains something after such a failure, as a notice of it; None: the ladder is at its end."""
    rung = ladder.recover(skipping="compact" if failure.kind == "compaction_failure" else None)
    return None if rung is None else ("recovered", f"the request was too long: {rung} made it shorter")


def given_up(error: ProviderError, happened: Iterable[Notice]) -> Failure:
    """What an overflow means when the ladder is at its end. ``happened``: the notices of the climb.

    Where not even a summary could be made, that is why, and it is told.
    """
    no_summary = next((message for code, message in happened if code == "compaction_failed"), "")
    if not no_summary:
        return failure_of(error)
    return failure_of(ProviderError(error.kind, f"{error.message}; compaction failed: {no_summary}"))
