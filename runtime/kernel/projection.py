"""Projections of past calls: π(ledger, call), asked of the law slot by slot (kernel.md sections 1 and 6, P11)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from .law import on_stage, shape_at
from .ledger import Ledger
from .slots import Position, Representation, Shape, Slot
from .stage import unit_key


class Piece(NamedTuple):
    """A slot in a request: how it is rendered, and whether it is on stage (a stub of a result may not be)."""

    slot: Slot
    shape: Shape
    on_stage: bool

    @property
    def how(self) -> Representation:
        """The representation."""
        return self.shape.how


#: What stands for a result that is off stage itself.
_STUB = Shape("stub", 0)


class UnitPieces(NamedTuple):
    """What one unit is rendered from: its own slots, and the results of its tool calls in order."""

    key: Position
    pieces: tuple[Piece, ...]
    results: tuple[Piece, ...]


def project(ledger: Ledger, ordinal: int, slots: Iterable[Slot] | None = None) -> list[UnitPieces]:
    """The units of the request with this ordinal, in order.

    ``slots``: those to ask, all that it held among them (default: every one, which costs O(history)).
    """
    turn = ledger.turn_of_ordinal(ordinal)
    units: dict[Position, list[Piece]] = {}
    for slot in ledger.slots.values() if slots is None else slots:
        if not slot.is_result and on_stage(slot, turn, ordinal):
            units.setdefault(unit_key(slot), []).append(Piece(slot, shape_at(slot, turn, ordinal), True))
    found: list[UnitPieces] = []
    for key in sorted(units):
        pieces = tuple(sorted(units[key], key=lambda p: p.slot.position))
        results = tuple(
            past_result(result, turn, ordinal)
            for p in pieces
            if (result := ledger.result_at(p.slot.id, turn, ordinal)) is not None
        )
        found.append(UnitPieces(key, pieces, results))
    return found


def shows(ledger: Ledger, slot: Slot, turn: int, ordinal: int) -> bool:
    """Whether the request (turn, ordinal) has the slot on stage; a result needs its call there too."""
    answers = slot.link.answers if slot.link is not None else None
    if not on_stage(slot, turn, ordinal):
        return False
    return answers is None or (
        on_stage(ledger.slots[answers], turn, ordinal) and ledger.versions.at(slot, turn, ordinal).id == slot.id
    )


def past_result(result: Slot, turn: int, ordinal: int) -> Piece:
    """A result whose call is on stage: as it is, or as a stub when it is off stage itself."""
    if on_stage(result, turn, ordinal):
        return Piece(result, shape_at(result, turn, ordinal), True)
    return stub_of(result)


def stub_of(result: Slot) -> Piece:
    """A result off stage whose call is there."""
    return Piece(result, _STUB, False)
