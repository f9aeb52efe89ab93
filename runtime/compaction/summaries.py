"""The summaries of a session: which there are, and which a new one sends off stage or brings back."""

from __future__ import annotations

from dataclasses import dataclass

from ..kernel.law import in_force, on_stage
from ..kernel.ledger import Ledger
from ..kernel.slots import SUMMARY, Slot
from .retention import kept
from .settings import CompactSettings

#: Holds of compaction are named after the summary that stands for the slot: ``compaction:10_summary@10``.
HOLD = "compaction:"


@dataclass(frozen=True, slots=True)
class Change:
    """What becomes of the older summaries: those that leave, and those that come back."""

    leaving: tuple[Slot, ...]
    returning: tuple[Slot, ...]


class Summaries:
    """Knows the summaries of a ledger without looking through it again."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._ids: list[str] | None = None

    def all(self) -> list[Slot]:
        """The summaries that no undo took back, by birth."""
        return [slot for i in self._known() if not (slot := self._ledger.slots[i]).is_undone]

    @property
    def last_anchor(self) -> int | None:
        """The newest anchor turn: anchors follow births."""
        newest = (self._ledger.slots[i] for i in reversed(self._known()))
        return next((slot.turn for slot in newest if not slot.is_undone), None)

    @property
    def borne(self) -> int:
        """How many summaries were made, those that an undo took back among them."""
        return len(self._known())

    def add(self, slot_id: str) -> None:
        """A summary was born."""
        if slot_id not in self._known():
            self._known().append(slot_id)

    def change(self, end: int, turn: int, settings: CompactSettings, moment: tuple[int, int]) -> Change:
        """What retention makes of the older summaries when one at ``end`` joins them."""
        older = self.all()
        staying = kept(settings.retention, [*(s.turn for s in older), end], turn, settings.k)
        return Change(
            tuple(s for s in older if s.turn not in staying and on_stage(s, *moment) and not _is_kept(s, moment)),
            tuple(s for s in older if s.turn in staying and not on_stage(s, *moment) and retired_by(s)),
        )

    def _known(self) -> list[str]:
        if self._ids is None:
            ledger = self._ledger
            names = [name for name in ledger.by_element if name.endswith("_summary")]
            ids = [i for name in names for i in ledger.by_element[name] if ledger.slots[i].phase == SUMMARY]
            self._ids = sorted(ids, key=lambda i: ledger.slots[i].number)
        return self._ids


def retired_by(summary: Slot) -> list[str]:
    """The holds by which newer summaries keep this one off stage."""
    holds = summary.marks.holds if summary.marks is not None else ()
    return [hold.name for hold in holds if hold.until is None and hold.name.startswith(HOLD)]


def _is_kept(summary: Slot, moment: tuple[int, int]) -> bool:
    return summary.marks is not None and in_force(summary.marks.keeps, *moment)
