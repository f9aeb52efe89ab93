"""How long it takes to open a stored session of a million births."""

from __future__ import annotations

from time import perf_counter

from dcc.runtime.session import Session

from .history import PROGRAM, stored

BIRTHS = 1_000_000

#: Slots of a turn, beside its message and its answer.
A_TURN = 98


def run(quick: bool) -> dict[str, float]:
    """Seconds to fold ``BIRTHS`` births and to set the stage.

    ``fold_million_s``: the births alone, a hundred a turn. ``fold_calls_s``: as many in tool loops, whose
    replies and completed calls are events too, one more for each birth.
    """
    return {
        "fold_million_s": _seconds(quick, chains=0, entries=A_TURN),
        "fold_calls_s": _seconds(quick, chains=A_TURN // 2, entries=0),
    }


def _seconds(quick: bool, chains: int, entries: int) -> float:
    store = stored(BIRTHS // 1_000 if quick else BIRTHS, 200, chains=chains, entries=entries)
    start = perf_counter()
    session = Session.open(store, PROGRAM)
    seconds = perf_counter() - start
    assert session.stage()
    return seconds
