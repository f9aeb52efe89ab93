"""After a provider's overflow: the functions of the planner as forced steps (kernel.md section 4).

The provider's word is believed against the estimate: what it has refused is taken for more than the context may hold.
"""

from __future__ import annotations

from typing import Literal, Protocol

from ..compaction.compactor import Compactor
from .budget.limits import DEFAULT_BANDS, Limits
from .planner import Planner

Rung = Literal["compact", "truncate_results"]


class Truncation(Protocol):
    """Cuts results that are too large in a request of ``used`` tokens, for a window of so many."""

    def truncate(self, used: int, window: int) -> bool:
        """Whether anything was cut."""


class Recovery:
    """Carries out the steps of the overflow ladder. ``window``: the model's, in tokens, as far as is known."""

    def __init__(
        self,
        planner: Planner,
        compactor: Compactor,
        truncation: Truncation,
        limits: Limits | None,
        window: int | None,
    ) -> None:
        self._planner = planner
        self._compactor = compactor
        self._truncation = truncation
        self._limits = limits
        self._window = window

    def recover(self, rung: Rung) -> bool:
        """One step; whether it gained anything.

        ``compact``: the critical pass, and only when it frees nothing a summary of old turns. ``truncate_results``:
        results that are too large, one by one or together, down to their heads and tails.
        """
        if rung == "compact":
            return self._planner.recover(self._refused()) or self._compactor.recover()
        used = self._planner.used()
        return self._truncation.truncate(used, min(used, self._window or used))

    def _refused(self) -> Limits:
        """Limits that what was refused is over."""
        used, known = self._planner.used(), self._limits
        if known is not None and known.critical <= used:
            return known
        bands = {name: round(share * used) for name, share in DEFAULT_BANDS.items()}
        window, reserve = (known.window, known.reserve) if known is not None else (None, 0)
        return Limits(window, reserve, max(1, used), bands["soft"], bands["must_act"], bands["critical"])
