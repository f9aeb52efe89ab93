"""Sliding window, as ``trim_messages`` and memory buffers do it: the newest tokens, in whole chains."""

from __future__ import annotations

from bisect import bisect_left

from ..history import History, PastCall
from .holding import Held, Policy


def sliding_window(window: int) -> Policy:
    """Keeps the newest ``window / 2`` tokens; the message typed last counts towards them."""

    def policy(history: History, call: PastCall, before: Held) -> Held:
        budget = window // 2
        if history.sums[call.held] <= budget:
            return Held()
        first = _newest(history, call, budget)
        if call.typed < first:
            first = max(first, _newest(history, call, budget - history.slots[call.typed].tokens))
        return Held(first)

    return policy


def _newest(history: History, call: PastCall, tokens: int) -> int:
    """The earliest cut from which the slots up to the call hold at most ``tokens``, else the last cut of all."""
    start = bisect_left(history.sums, history.sums[call.held] - tokens)
    at = bisect_left(history.cuts, start)
    past = bisect_left(history.cuts, call.held)
    return history.cuts[min(at, past - 1)]
