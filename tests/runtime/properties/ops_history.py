"""Random histories in which operations act, as plain values: those of retirement, with operations put in."""

from __future__ import annotations

from functools import cache
from typing import Any

import retirement_history
from history import Act, numbers
from hypothesis import strategies as st
from retirement_history import LONG, MIDDLE, SHORT, RetirementHistory
from sampling import sampled

#: One of them is the text of results, too: what is purged may be a note.
NOTES = ("the gist of it", "what it said", "a note so long that it says more than many a result " * 3, MIDDLE)
WRITTEN_ANEW = ("in other words", MIDDLE, LONG)


def _act(name: str, *args: st.SearchStrategy[Any]) -> st.SearchStrategy[tuple[Act, ...]]:
    return st.tuples(*args).map(lambda values: (Act(name, values),))


def _scene(*acts: st.SearchStrategy[tuple[Act, ...]]) -> st.SearchStrategy[tuple[Act, ...]]:
    return st.tuples(*acts).map(lambda parts: tuple(act for part in parts for act in part))


_undo = _act("undo", st.sampled_from((1, 1, 1, 2, 3)))
_hold = _act("hold", numbers, st.booleans())
_note = _act("note", numbers, st.sampled_from(("", *NOTES)), st.sampled_from((0, 0, 60, 400)))
_summary = _act("summarise", numbers, st.sampled_from((1, 2, 3)), st.sampled_from((SHORT, MIDDLE)))
_replace = _act("replace", numbers, st.sampled_from(WRITTEN_ANEW))
_purge = _act("purge", numbers)
operations: st.SearchStrategy[tuple[Act, ...]] = st.one_of(
    _hold, _note, _summary, _replace,
    _act("lift", numbers),
    _purge,
    _act("redact", numbers),
    _act("govern", st.booleans()),
    _act("calibrate", st.sampled_from((0, 1, 2))),
    _act("operate", st.sampled_from((None, "a", "b", "c", "d"))),
    _act("touch_gone", numbers),
    _act("undo_at", numbers),
    _scene(_hold, _act("lift", numbers), _undo),
    _scene(_note, _undo),
    _scene(_note, _note, _undo),
    _scene(_summary, _undo),
    _scene(_replace, _undo),
    _scene(_replace, _replace, _undo),
    _scene(_replace, _purge, _undo),
    _scene(_act("keep", numbers), _replace, _undo),
)  # fmt: skip


@st.composite
def histories(draw: st.DrawFn) -> RetirementHistory:
    """A history of retirement, and one to eight operations at any point of it."""
    history = draw(retirement_history.histories())
    acts = list(history.acts)
    for _ in range(draw(st.sampled_from((1, 2, 3, 4, 5, 6, 8)))):
        at = draw(st.integers(0, len(acts)))
        acts[at:at] = draw(operations)
    return history._replace(acts=tuple(acts))


@cache
def sample() -> list[RetirementHistory]:
    """The same 200 histories every time."""
    return sampled(histories(), seeds=20)
