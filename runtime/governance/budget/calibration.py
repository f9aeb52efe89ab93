"""Calibration: from the one counter's tokens of a view to the tokens that the provider will count (spec/cpat.md 6).

What the counter does not see (system prompt, tool schemas, a provider's framing) is the same in every request, so
what is learned is an additive ``overhead``; a ratio would shrink with the view although the overhead does not. An
error of density is a ``slope``, and shows only once views of different sizes were seen.

A tool call costs a provider far more than its name and arguments: markup around the call and around its result. Left
to the overhead, that error would grow with every call and stay when results are reduced, so each chain counts
``CHAIN`` tokens. Measured on two recorded sessions (``python -m bench.calibration``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from math import isfinite
from typing import Any, Final

#: Tokens of a tool call and its result beyond their contents: 52 to 57 for the call by the output that recorded
#: replies were charged with, and some for the result, less the 4 of each message that the counter adds itself.
CHAIN: Final = 60

#: The weight of a new sample in the overhead (spec/cpat.md section 6).
WEIGHT: Final = 0.3

#: The overhead is at most this share of the window.
LARGEST_SHARE: Final = 0.5

#: Samples, and the spread of their views (the largest over the smallest), from which on a slope is fitted, and
#: the slopes that are believed.
SLOPE_SAMPLES: Final = 4
SLOPE_SPREAD: Final = 1.3
SLOPE_RANGE: Final = (0.7, 3.0)


@dataclass(frozen=True, slots=True)
class Calibration:
    """What was learned of one model with one tool set and one system prompt (``fingerprint``).

    ``overhead`` in tokens; ``slope``: the provider's tokens for one of the counter's; ``samples``: how many requests
    taught it; ``residual``: by how many tokens the last one was off before it was learned from. ``low`` and ``high``:
    the smallest and largest view; ``view``, ``actual``, ``spread``, ``joint``: means, and sums of squares and products
    of deviations, from which the slope is fitted.
    """

    fingerprint: str = ""
    overhead: float = 0.0
    slope: float = 1.0
    samples: int = 0
    residual: float | None = None
    low: float = 0.0
    high: float = 0.0
    view: float = 0.0
    actual: float = 0.0
    spread: float = 0.0
    joint: float = 0.0

    def estimate(self, raw: int, chains: int = 0) -> int:
        """The prompt tokens of a view of ``raw`` tokens by the one counter with ``chains`` tool calls in it."""
        return max(0, round(self.slope * (raw + CHAIN * chains) + self.overhead))

    def observed(
        self, raw: int, prompt: int, *, chains: int = 0, fingerprint: str = "", window: int | None = None
    ) -> Calibration:
        """What is known after a request of that view had ``prompt`` tokens by the provider's own count.

        Another ``fingerprint`` begins anew; a report of no tokens teaches nothing. ``window`` (tokens) bounds the
        overhead. Whether the report speaks of this view at all is for the caller to know (``Usage.exact``).
        """
        known = self if fingerprint == self.fingerprint else Calibration(fingerprint)
        if prompt <= 0:
            return known
        size = float(raw + CHAIN * chains)
        first = known.samples == 0
        residual = prompt - known.estimate(raw, chains)
        known = known._taught(size, float(prompt))
        known = known._tilted(size)
        left = prompt - known.slope * size
        overhead = left if first else (1 - WEIGHT) * known.overhead + WEIGHT * left
        most = LARGEST_SHARE * window if window is not None else overhead
        return replace(known, overhead=max(0.0, min(overhead, most)), residual=None if first else float(residual))

    def _taught(self, size: float, prompt: float) -> Calibration:
        """One more sample in the running means and sums (Welford's method, which loses no digits)."""
        samples = self.samples + 1
        off, off_prompt = size - self.view, prompt - self.actual
        view = self.view + off / samples
        actual = self.actual + off_prompt / samples
        return replace(
            self,
            samples=samples,
            low=min(self.low, size) if self.samples else size,
            high=max(self.high, size),
            view=view,
            actual=actual,
            spread=self.spread + off * (size - view),
            joint=self.joint + off * (prompt - actual),
        )

    def _tilted(self, size: float) -> Calibration:
        """The fitted slope, where one can be told; the overhead gives way, so that this view's estimate stays."""
        if self.samples < SLOPE_SAMPLES or self.high < SLOPE_SPREAD * self.low or self.spread <= 0:
            return self
        least, most = SLOPE_RANGE
        slope = max(least, min(most, self.joint / self.spread))
        return replace(self, slope=slope, overhead=self.overhead + (self.slope - slope) * size)

    def to_json(self) -> dict[str, Any]:
        """Plain data for an event; :meth:`from_json` gives the same value back."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any] | None) -> Calibration:
        """The calibration in an event's data; what is not there, or no number, is as in a new one."""
        data = data or {}
        known = {f.name: data[f.name] for f in fields(cls) if _fits(f.name, data.get(f.name))}
        return cls(**known)


def _fits(name: str, value: Any) -> bool:
    if name == "fingerprint":
        return isinstance(value, str)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return isfinite(value)
