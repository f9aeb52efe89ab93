"""The system texts of a session, changed between requests: what a host says anew when it opens a session again."""

from __future__ import annotations

from collections.abc import Sequence

from ..accepting import accepted_content
from ..kernel.content import content_hash
from ..kernel.places import over
from ..kernel.segments import end_place
from ..kernel.slots import PATCH, Slot
from .base import Control

#: Why a request breaks when its system texts change (kernel.md section 5).
CAUSE = "system"


class Prompting(Control):
    """Puts other system slots in the place of those of turn 0."""

    def use_system(self, texts: Sequence[str]) -> bool:
        """Have the system slots of turn 0 say ``texts``, one each, from the next request on; False: they do.

        From the first text that differs on, the old slots leave and new ones are born behind those that stay, so
        that they stand in the order of the texts. Raises SessionError (``bad_content``).
        """
        for text in texts:
            accepted_content(text, "a system text")
        old, same = self._standing(), 0
        while same < min(len(old), len(texts)) and old[same].digest.hex() == content_hash(texts[same]):
            same += 1
        if same == len(old) == len(texts):
            return False
        last = self._last_request
        with self._recorder.transaction(CAUSE) as emit:
            for slot in old[same:]:
                for index, (_, end) in enumerate(slot.segments):
                    if end is None or not over(end, self._ledger.turn, last + 1):
                        emit("segment_closed", slot=slot.id, index=index, end=-last, was=end)
            for text in texts[same:]:
                self._births.bear(
                    emit, "system", text,
                    turn=0, phase=PATCH, shown_from=last + 1, superseded_end=-last,
                    visible_from=self._next_request if self._ledger.turn else None, cause=CAUSE,
                )  # fmt: skip
        return True

    def _standing(self) -> list[Slot]:
        """Those that were not put away: each ends, if it does, where its rule says."""
        slots = (self._ledger.slots[i] for i in self._ledger.by_element.get("system", []))
        return [s for s in slots if s.turn == 0 and s.segments[-1].end == end_place(s.rule.end, 0)]
