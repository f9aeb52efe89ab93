"""From slots to units: what a projection is rendered from, and what people see of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple

from ..kernel.content import Content, decode
from ..kernel.projection import Piece, UnitPieces
from ..kernel.representation import stand_in
from ..kernel.slots import CALL, Representation, Slot
from ..kernel.tokens import count_tokens
from ...compiler.program import Program
from .unit import Role, Shown, Unit

#: What stands for a result off stage whose own text is shorter than any stub.
BARE_STUB = "[off stage]"


class Visible(NamedTuple):
    """A slot in a request, for people: ``how`` it is rendered, and whether it is on stage itself."""

    slot: str
    element: str
    refined: str | None
    born: int
    how: Representation
    on_stage: bool
    tokens: int


@dataclass(frozen=True, slots=True)
class UnitView:
    """A unit with what is known of its slots."""

    unit: Unit
    visible: tuple[Visible, ...]
    tokens: int


def view_unit(found: UnitPieces, program: Program, content: Callable[[bytes], bytes]) -> UnitView:
    """Build one unit; ``content`` gives the encoded content of a digest."""
    shown: list[Shown] = []
    visible: list[Visible] = []
    for piece in (*found.pieces, *found.results):
        one, tokens = _show(piece, program, content)
        shown.append(one)
        slot = piece.slot
        visible.append(
            Visible(slot.id, slot.element, slot.refined, slot.turn, one.how, piece.on_stage, tokens)
        )
    n = len(found.pieces)
    return UnitView(Unit(tuple(shown[:n]), tuple(shown[n:])), tuple(visible), sum(v.tokens for v in visible))


def flatten(views: Iterable[UnitView]) -> tuple[Visible, ...]:
    """The slots of a request, in order."""
    return tuple(visible for view in views for visible in view.visible)


def _show(piece: Piece, program: Program, content: Callable[[bytes], bytes]) -> tuple[Shown, int]:
    slot = piece.slot
    body = decode(content(slot.digest))
    how, tokens = piece.how, slot.tokens
    if how != "full":
        body, how = _reduced(body, piece)
        tokens = count_tokens(body) if how != "full" else tokens
    link = slot.link
    shown = Shown(
        slot.id,
        slot.element,
        _role(slot, program),
        program.labelled(slot.element) and not slot.is_reply and not slot.is_result,
        body,
        how,
        link.wire if link is not None and link.wire else None,
        link.tool if link is not None and link.tool else None,
        link.is_error if link is not None else False,
        slot.element == "system" and slot.phase == 0,
    )
    return shown, tokens


def _reduced(body: Content, piece: Piece) -> tuple[Content, Representation]:
    """The stand-in of a slot that is not full. One that would not be shorter is not made."""
    how = "ref" if piece.how == "ref" else "stub"
    text = stand_in(body, "ref" if how == "ref" else "stub", piece.slot.digest.hex())
    if text is not None:
        return text, "ref" if how == "ref" else "stub"
    return (BARE_STUB, "stub") if not piece.on_stage else (body, "full")


def _role(slot: Slot, program: Program) -> Role:
    if slot.phase == CALL and slot.is_reply:
        return "assistant"
    if slot.is_result:
        return "tool"
    return program.role_of(slot.element)
