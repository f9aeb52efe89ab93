"""Threshold summary, as pi and most coding agents do it: a full window is summed up and its end kept.

Figures: contracts.md (``dcc replay``), which are pi's own defaults.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from ..history import History, PastCall
from .holding import Held, Policy, StandIn, tokens_of

#: Tokens of the window left free for the reply: above the rest the summary is made.
RESERVE = 16_384
#: Tokens at the end that are kept as they are.
KEEP_RECENT = 20_000
#: Tokens of the summary. Its text is not looked into: it counts as no evidence.
SUMMARY = 1_000


def threshold_summary(window: int) -> Policy:
    """The policy for a window of so many tokens."""

    def policy(history: History, call: PastCall, before: Held) -> Held:
        if tokens_of(history, call, before) <= window - RESERVE:
            return before
        first = recent_cut(history, call, KEEP_RECENT)
        if first <= before.first:
            return before
        number = before.stand_in.number + 1 if before.stand_in is not None else 1
        return Held(first, StandIn(number, SUMMARY))

    return policy


def recent_cut(history: History, call: PastCall, tokens: int) -> int:
    """The first cut at or after the slot with which the newest ones reach ``tokens``, else the last cut of all."""
    reached = bisect_right(history.sums, history.sums[call.held] - tokens) - 1
    at = bisect_left(history.cuts, max(0, reached))
    past = bisect_left(history.cuts, call.held)
    return history.cuts[min(at, past - 1)]
