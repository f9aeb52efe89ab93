"""The overflow ladder: what is tried when the provider says that a request is too long (seed 004; runtime spec, 3).

The ruleset declares its rungs, ``recovery: {overflow: [{compact: 3}, {truncate_results: 1}, give_up]}``. A rung that
fails or gains nothing is no recovery, and the next one is tried at once. Truncation that gained gives compaction its
tries back, once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

Rung = Literal["compact", "truncate_results"]

#: The seed's ladder, where a ruleset declares none.
DEFAULT: Final[tuple[tuple[Rung, int], ...]] = (("compact", 3), ("truncate_results", 1))

#: Bounds of the model calls of one prompt, retries of every kind counted (runtime spec, section 3).
LEAST_CALLS: Final = 32
MOST_CALLS: Final = 160
CALLS_BASE: Final = 24
CALLS_A_PROFILE: Final = 8


def retry_limit(profiles: int) -> int:
    """How many tries the whole of a prompt may cost: at most 160, at least 32, and 8 more for each profile."""
    return min(MOST_CALLS, max(LEAST_CALLS, CALLS_BASE + CALLS_A_PROFILE * max(1, profiles)))


def rungs_of(section: Mapping[str, Any] | None) -> tuple[tuple[Rung, int], ...]:
    """The rungs of a program's ``recovery`` section, up to ``give_up``; the seed's where it has none."""
    written: Sequence[Mapping[str, Any]] = (section or {}).get("overflow") or ()
    if not written:
        return DEFAULT
    rungs: list[tuple[Rung, int]] = []
    for step in written:
        if step["do"] == "give_up":
            break
        rungs.append((step["do"], step["tries"]))
    return tuple(rungs)


@dataclass(frozen=True, slots=True)
class Climb:
    """How far a prompt has come on the ladder: tries of each rung, and whether truncation gave some back."""

    tries: tuple[int, ...]
    given_back: bool = False


class Ladder:
    """The ladder of one prompt. ``steps`` carry a rung out and say whether that gained anything."""

    def __init__(self, rungs: Sequence[tuple[Rung, int]], steps: Mapping[Rung, Callable[[], bool]]) -> None:
        self._rungs = tuple(rungs)
        self._steps = steps
        self._climb = Climb((0,) * len(self._rungs))

    def recover(self, *, skipping: Rung | None = None) -> Rung | None:
        """After an overflow: the first rung with tries left that gains something; None: give up.

        ``skipping``: a rung that the error itself says is of no use.
        """
        for index, (rung, most) in enumerate(self._rungs):
            if self._climb.tries[index] >= most or rung == skipping:
                continue
            self._count(index)
            if self._steps[rung]():
                if rung == "truncate_results" and not self._climb.given_back:
                    self._give_back()
                return rung
        return None

    def _count(self, index: int) -> None:
        tries = self._climb.tries
        self._climb = replace(self._climb, tries=(*tries[:index], tries[index] + 1, *tries[index + 1 :]))

    def _give_back(self) -> None:
        """What was truncated may be summarised as well now: compaction begins anew."""
        tries = tuple(
            0 if rung == "compact" else n for (rung, _), n in zip(self._rungs, self._climb.tries, strict=True)
        )
        self._climb = Climb(tries, given_back=True)
