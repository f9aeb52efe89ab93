"""After a provider's overflow: the functions of the planner as forced steps (kernel.md section 4).

The provider's word is believed against the estimate: what it has refused is taken for more than the context may hold.
"""

from __future__ import annotations

from typing import Literal

from ..compaction.compactor import Compactor
from ..recorder import Recorder
from ..requests import Requests
from .budget.limits import DEFAULT_BANDS, Limits
from .planner import Planner

Rung = Literal["compact", "truncate_results"]


class Recovery:
    """Carries out the steps of the overflow ladder."""

    def __init__(
        self, recorder: Recorder, requests: Requests, planner: Planner, compactor: Compactor, limits: Limits | None
    ) -> None:
        self._recorder = recorder
        self._requests = requests
        self._planner = planner
        self._compactor = compactor
        self._limits = limits

    def recover(self, rung: Rung) -> bool:
        """One step; whether it gained anything.

        ``compact``: the critical pass, and only when it frees nothing a summary of old turns.
        """
        if rung == "compact":
            return self._planner.recover(self._refused()) or self._compactor.recover()
        return False

    def _refused(self) -> Limits:
        """Limits that what was refused is over."""
        used, known = self._planner.used(), self._limits
        if known is not None and known.critical <= used:
            return known
        bands = {name: round(share * used) for name, share in DEFAULT_BANDS.items()}
        window, reserve = (known.window, known.reserve) if known is not None else (None, 0)
        return Limits(window, reserve, max(1, used), bands["soft"], bands["must_act"], bands["critical"])
