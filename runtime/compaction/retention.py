"""Which summaries stay on stage (spec of the first system, section 13, retention). Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from ...grammar.errors import DccError

Strategy = Literal["latest_only", "keep_all", "last_k", "equidistant"]

#: Summaries that ``last_k`` and ``equidistant`` keep when the ruleset names no number.
K = 3


class RetentionError(DccError):
    """A retention that keeps no summary: code ``k_not_positive``."""


def kept(strategy: Strategy, anchors: Iterable[int], turn: int, k: int = K) -> tuple[int, ...]:
    """The anchor turns of the summaries that stay at ``turn``, ascending. Raises RetentionError.

    ``equidistant`` looks at the ``k`` turns that part the session evenly and takes the nearest anchor of each,
    the later of two; the newest summary always stays.
    """
    if k < 1:
        raise RetentionError("k_not_positive", f"k is {k}: at least one summary stays", help="write k: 1 or more")
    known = sorted(set(anchors))
    if not known or strategy == "keep_all":
        return tuple(known)
    if strategy == "equidistant":
        # All distances times k: whole numbers have no rounding.
        near = {min(known, key=lambda a: (abs(a * k - turn * i), -a)) for i in range(1, k + 1)}
        return tuple(sorted(near | {known[-1]}))
    return tuple(known[-1:] if strategy == "latest_only" else known[-k:])
