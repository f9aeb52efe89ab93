"""Whether the best of what a query found stands out enough to be shown unasked (specification of canon, section 9)."""

from __future__ import annotations

import math
from collections.abc import Container, Sequence
from dataclasses import dataclass
from typing import Final

from .find import Hit

#: Ranked articles in one message, at most.
RIDERS: Final = 3

#: Place of the article whose score is that of the crowd: the best that would not ride.
_TAIL: Final = RIDERS


@dataclass(frozen=True, slots=True)
class Ranked:
    """A ranking. ``reached``: how many times the crowd's score the best has, infinite without a crowd.

    ``responders`` scored at all, ``eligible`` are those that were not shown yet; ``riders`` are to be shown,
    ``held`` would be too if there were room.
    """

    standout: float
    reached: float
    responders: int
    eligible: int
    passed: bool
    riders: tuple[Hit, ...] = ()
    held: tuple[Hit, ...] = ()


def rank(scored: Sequence[Hit], taken: Container[str], standout: float, staged: int = 0) -> Ranked | None:
    """Rank what a query found, best first; None when nothing of it is left to show.

    ``taken``: addresses that are present, staged, or were shown before. ``staged``: ranked articles that wait
    already, in whose place no other comes. A ``standout`` of 1 lets everything pass.
    """
    eligible = [hit for hit in scored if hit.key not in taken]
    if not eligible:
        return None
    crowd = eligible[_TAIL].score if len(eligible) > _TAIL else 0.0
    if standout > 1:
        # A store whose best was shown already must not pass off its leavings as outstanding.
        crowd = max([crowd, *(hit.score for hit in scored if hit.key in taken)])
    reached = eligible[0].score / crowd if crowd else math.inf
    passed = reached >= standout
    room = max(0, RIDERS - staged) if passed else 0
    held = eligible[room:] if passed else []
    return Ranked(standout, reached, len(scored), len(eligible), passed, tuple(eligible[:room]), tuple(held))
