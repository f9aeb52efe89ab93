"""After a provider's overflow: the functions of the planner as forced steps (kernel.md section 4).

The provider's word is believed against the estimate: what it has refused is taken for more than the context may hold.
"""

from __future__ import annotations

from typing import Literal

from ...compiler.program import Program
from ..agent.cutting import Room, Short, shortened
from ..agent.truncation import Result, plan_truncation
from ..compaction.compactor import Compactor
from ..kernel.changes import representing
from ..kernel.content import decode
from ..recorder import Recorder
from ..requests import Requests
from .budget.limits import DEFAULT_BANDS, Limits
from .candidates import Finding
from .planner import Planner

Rung = Literal["compact", "truncate_results"]


class Recovery:
    """Carries out the steps of the overflow ladder."""

    def __init__(
        self,
        recorder: Recorder,
        program: Program,
        requests: Requests,
        planner: Planner,
        compactor: Compactor,
        limits: Limits | None,
    ) -> None:
        self._recorder = recorder
        self._requests = requests
        self._planner = planner
        self._compactor = compactor
        self._limits = limits
        self._finding = Finding(recorder, program)

    def recover(self, rung: Rung) -> bool:
        """One step; whether it gained anything.

        ``compact``: the critical pass, and only when it frees nothing a summary of old turns. ``truncate_results``:
        results that are too large, one by one or together, down to their heads and tails.
        """
        if rung == "compact":
            return self._planner.recover(self._refused()) or self._compactor.recover()
        return self._truncate()

    def _refused(self) -> Limits:
        """Limits that what was refused is over."""
        used, known = self._planner.used(), self._limits
        if known is not None and known.critical <= used:
            return known
        bands = {name: round(share * used) for name, share in DEFAULT_BANDS.items()}
        window, reserve = (known.window, known.reserve) if known is not None else (None, 0)
        return Limits(window, reserve, max(1, used), bands["soft"], bands["must_act"], bands["critical"])

    def _truncate(self) -> bool:
        used, slots = self._planner.used(), self._recorder.ledger.slots
        window = min(used, (self._limits.window if self._limits is not None else None) or used)
        found = self._finding.candidates(self._requests.on_stage()).results
        results = [Result(one.slot, one.characters, one.tokens) for one in found]
        cuts = plan_truncation(results, used, window, self._shorten)
        if not cuts:
            return False
        before = {result.slot: result.tokens for result in results}
        freed = sum(before[cut.slot] - cut.short.tokens for cut in cuts)
        since = -(self._recorder.last_request + 1)
        with self._recorder.transaction("critical_pass") as emit:
            for slot, short in ((cut.slot, cut.short) for cut in cuts):
                note = None if short.note is None else self._recorder.keep_content(short.note).hex()
                emit("represented", **representing(slots[slot], "ref", since, note, short.preview))
            emit("notice", code="results_truncated", message=(
                f"{len(cuts)} tool results are cut to their heads and tails: about {freed:,} tokens fewer; undo "
                f"#{self._recorder.ledger.transaction} brings them back"
            ))  # fmt: skip
        return True

    def _shorten(self, slot_id: str, room: Room) -> Short | None:
        slot = self._recorder.ledger.slots[slot_id]
        return shortened(decode(self._recorder.content(slot.digest)), slot.digest.hex(), room)
