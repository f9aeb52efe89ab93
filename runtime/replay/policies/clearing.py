"""Clearing of old tool results, as Anthropic's context editing and its likes do it.

The client sends the whole history every time; once that is above the trigger, all results but the newest few are
replaced by a placeholder. What is cleared stays cleared.
"""

from __future__ import annotations

from ..calls import bits_of
from ..history import History, PastCall
from .holding import PLACEHOLDER, Held, Policy

#: Tokens of the whole history above which results are cleared, and how many of the newest stay.
TRIGGER, KEEP = 100_000, 3
#: Tokens that one round must free in the variant with batches: each round breaks the prompt prefix.
BATCH = 20_000


def clear_old_results(clear_at_least: int = 0, *, trigger: int = TRIGGER, keep: int = KEEP) -> Policy:
    """The policy. ``clear_at_least``: tokens below which a round is not worth it and waits.

    ``trigger``: tokens of the whole history above which results are cleared; ``keep``: how many of the newest stay.
    """

    def policy(history: History, call: PastCall, before: Held) -> Held:
        if history.sums[call.held] <= trigger:
            return before
        born = list(bits_of(history.results & (1 << call.held) - 1 & ~before.cleared))
        old = born[: max(0, len(born) - keep)]
        freed = sum(history.slots[i].tokens - PLACEHOLDER for i in old)
        if not old or freed < clear_at_least:
            return before
        return before._replace(cleared=before.cleared | sum(1 << i for i in old))

    return policy
