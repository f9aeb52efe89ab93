"""The story of a slot that retires: when it was ripe and why, what spared it, and what it waited for.

It is told from the ledger by asking the law for every request since the slot was born, so it costs O(history): it
is for people who ask, never for a request.
"""

from __future__ import annotations

from typing import NamedTuple

from ..compiler.counted import counted
from ..compiler.program import ElementRow, Program
from .kernel.law import in_force, on_stage, representation
from .kernel.ledger import Ledger
from .kernel.places import begun
from .kernel.retirement import retires, ripe_after, row_of, supersedes
from .kernel.slots import Slot


class Moment(NamedTuple):
    """From the request (turn, ordinal) on: ``ripe`` or not, and a sentence for people."""

    turn: int
    ordinal: int
    ripe: bool
    text: str


def story_of(ledger: Ledger, program: Program, slot_id: str) -> list[Moment]:
    """What the slot's retirement waited for, moment by moment, until it left or was reduced.

    A toolCall follows the result that its chain's refinement took: its story is that of the result.
    """
    slot = _subject(ledger, program, ledger.slots[slot_id])
    row = row_of(program, slot)
    if not retires(row, slot):
        return []
    teller = _Teller(ledger, program, slot, row)
    told: list[Moment] = []
    for ordinal in range(slot.shown_from, ledger.ordinal + 2):
        turn = ledger.turn_of_ordinal(ordinal)
        if not _stands(slot, turn, ordinal):
            why = teller.ripe(turn, ordinal)
            if why is not None and not (told and told[-1].ripe):
                told.append(Moment(turn, ordinal, True, f"ripe: {why}; retired at once"))
            break
        ripe, text = teller.state(turn, ordinal)
        if (told or ripe) and (not told or told[-1].text != text):
            told.append(Moment(turn, ordinal, ripe, text))
    return told


class _Teller:
    """Knows the slots that a slot's retirement depends on."""

    def __init__(self, ledger: Ledger, program: Program, slot: Slot, row: ElementRow) -> None:
        self._program = program
        self._slot = slot
        self._row = row
        key = slot.link.key if slot.link is not None else None
        known = list(ledger.slots.values())
        self._line = [s for s in known if s.row_name == row.name]
        self._touching = [s for s in known if s is slot or (key is not None and s.link and s.link.key == key)]

    def state(self, turn: int, ordinal: int) -> tuple[bool, str]:
        """Whether the slot is ripe at a request, and why, or what it waits for."""
        why = self.ripe(turn, ordinal)
        if why is None:
            return False, f"not ripe: {self._touch(ordinal).id} touched its key"
        return True, f"ripe: {why}; {self._waits(turn, ordinal)}"

    def ripe(self, turn: int, ordinal: int) -> str | None:
        """Why the slot is ripe at a request; None when it is not."""
        slot, row = self._slot, self._row
        if supersedes(row, slot):
            key = slot.link.key if slot.link is not None else None
            newer = [
                s for s in self._line
                if s.number > slot.number and s.shown_from <= ordinal and (s.link.key if s.link else None) == key
            ]  # fmt: skip
            if newer:
                return f"{newer[0].id} superseded it"
        touch = self._touch(ordinal)
        place = ripe_after(row, slot, (touch.turn, touch.shown_from - 1))
        if place is not None and begun(place, turn, ordinal):
            return self._clock(touch)
        standing = self._standing(turn, ordinal)
        if row.at_most is not None and slot.id in standing[: -row.at_most]:
            return f"it is not among the newest {row.at_most} of {row.name}"
        return None

    def _clock(self, touch: Slot) -> str:
        end = self._slot.rule.end
        if end.kind == "idle":
            return f"idle for {end.n} {end.unit} since {touch.id} touched its key"
        if end.kind == "born":
            return f"its {counted(end.n, end.unit.removesuffix('s'))} {'is' if end.n == 1 else 'are'} over"
        return f"turn {end.n} is over"

    def _waits(self, turn: int, ordinal: int) -> str:
        slot, row = self._slot, self._row
        if ordinal == slot.shown_from:
            return "no request has held it yet, so it stays for one"
        if slot.tokens < row.min_tokens:
            return f"smaller than {row.min_tokens} tokens, it stays as long as its call"
        marks = slot.marks
        if marks is not None and in_force(marks.keeps, turn, ordinal):
            return "kept"
        if marks is not None and marks.spared is not None and ordinal > marks.spared:
            return "an undo brought it back, so it stays until it is touched"
        if row.keep_last and slot.id in self._standing(turn, ordinal)[-row.keep_last :]:
            return f"it is among the newest {row.keep_last} of {row.name}, which stay"
        settle = self._program.settle
        if settle is None:
            return "due at once"
        return f"due with the next settle (every {counted(settle.every, 'call')}, from {settle.min_tokens} tokens on)"

    def _touch(self, ordinal: int) -> Slot:
        """The last slot of the key that was born before a request."""
        return next(s for s in reversed(self._touching) if s.shown_from <= ordinal)

    def _standing(self, turn: int, ordinal: int) -> list[str]:
        """The slots of the row that a floor or a ceiling counts; the slot itself is one until it is retired."""
        return [s.id for s in self._line if s is self._slot or _stands(s, turn, ordinal)]


def _subject(ledger: Ledger, program: Program, slot: Slot) -> Slot:
    result = ledger.slots.get(ledger.result_of.get(slot.id, ""))
    return result if result is not None and row_of(program, result).of == "chain" else slot


def _stands(slot: Slot, turn: int, ordinal: int) -> bool:
    """Whether the slot is on stage and full: whether there is something to retire."""
    return on_stage(slot, turn, ordinal) and representation(slot, turn, ordinal) == "full"
