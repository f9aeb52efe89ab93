"""The gauge: how full the context is, and how full it may be, as transactions and the tail tell it."""

from __future__ import annotations

from ..kernel.slots import Position
from ..requests import Requests
from .budget.limits import Band, Limits
from .facts import Reader
from .planner import Planner


class Gauge:
    """Reads tokens by the one counter, calibrated, against the limits."""

    def __init__(self, reader: Reader, requests: Requests, planner: Planner) -> None:
        self._reader = reader
        self._requests = requests
        self._planner = planner

    @property
    def limits(self) -> Limits | None:
        """The limits of the session; None where none is known."""
        return self._planner.limits

    @property
    def raw(self) -> int:
        """The tokens of the next request as things stand, its tail aside, by the one counter."""
        return self._requests.tokens_now() + self._reader.coming_tokens() + self._planner.beside

    @property
    def used(self) -> int:
        """The same as the provider will count them, as far as is known."""
        return self.used_with(0, 0)

    def used_with(self, tokens: int, calls: int) -> int:
        """The same with so many tokens, and tool calls, more."""
        chains = self._reader.recorder.stage.counts.get("toolCall", 0) + calls
        return self._planner.calibration.estimate(self.raw + tokens, chains)

    def budget(self, used: int) -> dict[str, int | None]:
        """``max``, ``soft_limit`` and ``used``, in tokens."""
        limits = self.limits
        return {
            "max": limits.max_context if limits is not None else None,
            "soft_limit": limits.soft if limits is not None else None,
            "used": used,
        }

    def pressure(self, used: int) -> float | None:
        """``used`` as a share of what there may be; None where no limit is known."""
        return round(used / self.limits.max_context, 4) if self.limits is not None else None

    def band(self, used: int) -> Band:
        """The band that ``used`` tokens lie in; ``ok`` where no limit is known."""
        return self.limits.band(used) if self.limits is not None else "ok"

    def refuses(self, growth: int) -> str | None:
        """Why the context may not grow by so many tokens; None: it may."""
        limits = self.limits
        if limits is None or growth <= 0 or limits.band(self.used + growth) != "critical":
            return None
        return (
            f"the context would have {self.used + growth:,} tokens, {limits.critical:,} is critical: "
            "free some first, or fetch a part with artifact_get"
        )

    def break_at(self, change: tuple[Position, tuple[str, ...]] | None) -> int | None:
        """The index of the message from which the next request differs by a change (``Staged.first_change``)."""
        return self._requests.index_of(*change) if change is not None else None
