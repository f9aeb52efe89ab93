"""When a window overflows: the size of a request, turn by turn, by given sizes of its slots."""

from __future__ import annotations

from collections.abc import Mapping

from ...grammar.ast import BORN
from ..ir.governance import GovernanceSection
from ..program import ElementRow
from ..reserve import kept_free
from .lifetimes import grows

#: Tokens that an element adds in one turn, where `governance.sizes` does not say: a question and an answer
#: of two or three paragraphs.
DEFAULT_SIZES: Mapping[str, int] = {"user": 100, "assistant": 400}

#: Share of the window that a context may fill when nobody says (kernel.md section 4).
DEFAULT_SHARE = 0.85

#: Elements that only compaction takes away: settling, pruning and the critical pass act on tool results.
ONLY_COMPACTED = ("user", "assistant", "think")


def limit_of(section: GovernanceSection) -> int | None:
    """The most tokens of a request: max_context, else what the window leaves; None when neither is known."""
    window, top, reserve = section.window, section.max_context, section.reserve or 0
    if window is not None and reserve >= window and not isinstance(top, int):
        return None  # An error of its own (no-room).
    room = None if window is None else window - kept_free(reserve, window)
    if isinstance(top, int):
        return top
    if window is None or room is None:
        return None
    return int(min(window * (DEFAULT_SHARE if top is None else top), room))


def overflow_turn(rows: Mapping[str, ElementRow], sizes: Mapping[str, int], limit: int) -> tuple[str, int] | None:
    """The first turn whose request is over ``limit`` tokens, and the element that weighs most in it.

    Counts only what stays and what nothing but compaction takes away. ``sizes`` are tokens a turn. None when the
    request never grows that far.
    """
    known = {**DEFAULT_SIZES, **sizes}
    rows_that_grow = [rows[n] for n in ONLY_COMPACTED if n in rows and grows(rows[n]) and rows[n].rule.start == BORN]
    each = {row.name: known.get(row.name, 0) for row in rows_that_grow}
    total, user = sum(each.values()), each.get("user", 0)
    if not total:
        return None
    # In turn t the request holds t user slots, and what the model said in the t - 1 turns before.
    return max(each, key=lambda name: each[name]), max(1, (limit - user) // total + 2)
