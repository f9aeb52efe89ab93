"""The state of a ledger: what its fields hold, and how they are read (kernel.md section 3).

Only ``Ledger.apply`` changes it.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable
from typing import Any

from ...compiler.program import Rule
from .knowledge import NOTHING
from .records import Compacting, OpenReply, QueueEntry, Spending, Transaction
from .slots import Slot
from .stored import StoredElements, StoredSlots
from .tables import ElementTable, Lookup, SlotTable
from .versions import Versions


class State:
    """What happened, slot by slot and turn by turn."""

    def __init__(self) -> None:
        self.slots: SlotTable | StoredSlots = SlotTable()
        self.by_element: ElementTable | StoredElements = ElementTable()
        self.result_of: Lookup[str, str] = {}
        self.wires: set[str] = set()
        self.rules: dict[str, Rule] = {}
        self.queue: list[QueueEntry] = []
        self.patches: dict[str, list[str]] = {}
        self.waiting: dict[str, dict[str, None]] = {}
        self.touches: Lookup[str, tuple[int, int]] = {}
        self.newest: Lookup[tuple[str, str | None], str] = {}
        self.outdated: list[str] = []
        self.labels: dict[int, dict[str, Any]] = {}
        self.history: list[Transaction] = []
        self.undone: set[int] = set()
        #: The transaction that took others back last.
        self.last_undo: Transaction | None = None
        self.compacting = Compacting()
        self.spending = Spending()
        self.turn_of = array("L")
        self.last_pin = 0
        self.settled = 0
        self.turn = 0
        #: The turn that a person began last; what a host says of its own accord begins turns too.
        self.asked = 0
        self.call = 0
        self.ordinal = 0
        self.births = 0
        self.seq = 0
        self.transaction = 0
        self.is_open = False
        self.reply: OpenReply | None = None
        self.folder = ""
        self.touched: list[str] = []
        self.journal: list[Callable[[], None]] | None = None
        #: Told of each slot before it changes, with its value (None: it is not there).
        self.watch: Callable[[str, Slot | None], None] = _nobody
        self.numbering: dict[str, tuple[int, int]] = {}
        self.versions = Versions(self)
        self.governed = True
        self.calibration: dict[str, Any] | None = None
        self.keys: dict[str, int] = {}
        #: The contents (hex digests) that were purged and that no event has named since.
        self.purged: set[str] = set()
        self.knowledge = NOTHING

    def turn_of_ordinal(self, ordinal: int) -> int:
        """The turn of a completed call; a call to come belongs to the open turn, or to the next one."""
        if 0 < ordinal <= len(self.turn_of):
            return self.turn_of[ordinal - 1]
        return 0 if ordinal <= 0 else self.turn if self.is_open else self.turn + 1

    def slot(self, slot_id: str) -> Slot:
        """The slot of an id; KeyError when there is none."""
        return self.slots[slot_id]

    def result_at(self, call: str, turn: int, ordinal: int) -> Slot | None:
        """The result that belongs to a toolCall slot in the request (turn, ordinal): one that was replaced does
        up to its last request, and again once an undo has taken its successor back. None: it has no result.
        """
        newest = self.result_of.get(call)
        return self.versions.at(self.slots[newest], turn, ordinal) if newest is not None else None

    def last_touch(self, slot: Slot) -> tuple[int, int]:
        """The turn, and the ordinal of the call, of the last touch of the slot's key; its birth without one."""
        born = (slot.turn, slot.shown_from - 1)
        if slot.link is None or slot.link.key is None:
            return born
        return self.touches.get(slot.link.key, born)

    def next_id(self, element: str, turn: int) -> str:
        """The id of the next slot of an element in a turn: ``goal@3``, then ``goal@3.2``."""
        last_turn, n = self.numbering.get(element, (-1, 0))
        n = n + 1 if last_turn == turn else 1
        name = f"{element}@{turn}" if n == 1 else f"{element}@{turn}.{n}"
        while name in self.slots:
            n += 1
            name = f"{element}@{turn}.{n}"
        return name

    def in_order(self, slot_ids: Iterable[str]) -> list[Slot]:
        """The slots of these ids, by birth."""
        return sorted((self.slots[i] for i in slot_ids), key=lambda slot: slot.number)


def _nobody(slot_id: str, slot: Slot | None) -> None:
    """Nobody watches: folding stored events."""
