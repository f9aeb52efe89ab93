"""When a compaction is due (spec of the first system, section 13). Pure."""

from __future__ import annotations

from typing import Final

from ..kernel.records import Compacting

#: Passes without gain after which compaction waits until there is much more to gain (kernel.md section 6, P4).
PATIENCE = 2

#: How much more: times the tokens that the last pass would have replaced.
MUCH_MORE = 2

#: The share of a threshold from which on a compaction is near: that of the band in which a model must act.
NEAR: Final = 0.80


def is_due_by_interval(turn: int, last_anchor: int | None, interval: int | None) -> bool:
    """Whether ``interval`` turns have passed since the newest summary's anchor turn, or since the beginning."""
    return interval is not None and turn >= (last_anchor or 0) + interval


def is_due_by_size(size: int, threshold: int) -> bool:
    """Whether a request of ``size`` bytes is larger than the threshold."""
    return size > threshold


def is_worth_it(past: Compacting, tokens: int) -> bool:
    """Whether a pass that would replace ``tokens`` may gain what the last ones did not.

    After one pass without gain, something must be different; after two, there must be twice as much to replace.
    """
    if past.idle == 0:
        return True
    return tokens != past.tokens if past.idle < PATIENCE else tokens >= max(1, MUCH_MORE * past.tokens)
