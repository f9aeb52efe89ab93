"""What is remembered of the last critical passes, so that none runs twice without change (kernel.md section 6, P4)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from .budget.limits import Limits

#: Share of ``max_context`` by which the context must have grown before another pass (spec/cpat.md section 7).
GROWTH: Final = 0.05

#: Passes in a row that freed less than this share of ``max_context``, after which they stop.
PATIENCE: Final = 2
LITTLE: Final = 0.10


@dataclass(frozen=True, slots=True)
class Passes:
    """The last passes. ``after``: the estimate that the last one left; ``idle``: how many in a row freed little.

    ``told``: that the limit cannot be kept was said already.
    """

    after: int | None = None
    idle: int = 0
    told: bool = False

    @property
    def is_stuck(self) -> bool:
        """Whether passes have stopped until one would free more."""
        return self.idle >= PATIENCE

    def may_run(self, used: int, limits: Limits) -> bool:
        """Whether the context has changed enough for another pass; above ``max_context`` any growth is enough."""
        if self.after is None:
            return True
        return used >= self.after + GROWTH * limits.max_context or (used > limits.max_context and used > self.after)

    def is_worth(self, used: int, freed: int, limits: Limits) -> bool:
        """Whether a pass that would free so much of ``used`` tokens is worth it after the last ones.

        One that makes a request fit which the window cannot hold always is.
        """
        fits_again = used > limits.room >= used - freed
        return not self.is_stuck or freed >= LITTLE * limits.max_context or fits_again

    def ran(self, used: int, left: int, limits: Limits) -> Passes:
        """After a pass from an estimate of ``used`` to ``left`` tokens."""
        little = used - left < LITTLE * limits.max_context
        return Passes(left, self.idle + 1 if little else 0, self.told and left >= limits.critical)

    def infeasible(self, used: int) -> Passes:
        """After it was said that the limit cannot be kept."""
        return replace(self, after=used, told=True)

    def to_json(self) -> dict[str, Any]:
        """Plain data, beside the calibration in its event; :meth:`from_json` gives the same value back."""
        return {"pass_after": self.after, "pass_idle": self.idle, "pass_told": self.told}

    @classmethod
    def from_json(cls, data: Mapping[str, Any] | None) -> Passes:
        """The passes in an event's data."""
        data = data or {}
        return cls(data.get("pass_after"), data.get("pass_idle", 0), data.get("pass_told", False))
