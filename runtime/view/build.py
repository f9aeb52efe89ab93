"""From slots to units: what a projection is rendered from, and what people see of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal, NamedTuple

from ...compiler.program import ElementRow, Program, Role
from ..errors import StoreError
from ..kernel.content import Content, decode, text_of
from ..kernel.projection import Piece, UnitPieces
from ..kernel.reduction import reduced_call
from ..kernel.representation import off_stage, stand_in, with_images
from ..kernel.slots import CALL, Representation, Slot
from ..kernel.tokens import count_tokens
from .unit import Shown, Unit

#: What is left of a slot whose content was deleted, in the past requests that held it.
PURGED = "[purged]"


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
    results = iter(found.results)
    for piece in (*found.pieces, *found.results):
        slot = piece.slot
        chain = _chain_row(next(results), program) if slot.is_call else None
        one, tokens = _show(piece, program, content, chain)
        shown.append(one)
        refined = slot.refined or (chain.name if chain is not None else None)
        visible.append(Visible(slot.id, slot.element, refined, slot.turn, one.how, piece.on_stage, tokens))
    n = len(found.pieces)
    return UnitView(Unit(tuple(shown[:n]), tuple(shown[n:])), tuple(visible), sum(v.tokens for v in visible))


def _chain_row(result: Piece, program: Program) -> ElementRow | None:
    """The chain refinement that a call follows: the one its result was taken by."""
    row = program.row(result.slot.row_name)
    return row if row.of == "chain" else None


def flatten(views: Iterable[UnitView]) -> tuple[Visible, ...]:
    """The slots of a request, in order."""
    return tuple(visible for view in views for visible in view.visible)


def _show(
    piece: Piece, program: Program, content: Callable[[bytes], bytes], chain: ElementRow | None
) -> tuple[Shown, int]:
    slot = piece.slot
    body = None if slot.is_purged else _read(slot.digest, content)
    how, tokens = piece.how, slot.tokens
    if body is None:
        body, how, tokens = PURGED, "stub", count_tokens(PURGED)
    elif how != "full":
        body, how = _reduced_call(body, chain) if slot.is_call else _reduced(body, piece, content)
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


def _read(digest: bytes, content: Callable[[bytes], bytes]) -> Content | None:
    """The content of a digest; None when it was purged, be it by another session that shares it."""
    try:
        return decode(content(digest))
    except StoreError as error:
        if error.code != "purged":
            raise
        return None


def _reduced(
    body: Content, piece: Piece, content: Callable[[bytes], bytes]
) -> tuple[Content, Representation]:
    """The stand-in of a slot that is not full. One that would not be shorter is not made, but for a slot off stage."""
    if not piece.on_stage:
        return off_stage(body), "stub"
    how: Literal["ref", "stub"] = "ref" if piece.how == "ref" else "stub"
    _, _, noted, preview, images, lost = piece.shape
    note = _read(bytes.fromhex(noted), content) if noted is not None and lost is None else None
    text = stand_in(
        body, how, piece.slot.digest.hex(), note=text_of(note or ""), preview=preview, images=images
    )  # fmt: skip
    return (with_images(text, body, images), how) if text is not None else (body, "full")


def _reduced_call(body: Content, chain: ElementRow | None) -> tuple[Content, Representation]:
    """A call with its long arguments replaced, but for the key that its chain declares."""
    reduced = reduced_call(body, chain.key if chain is not None else None)
    return (reduced, "ref") if reduced != body else (body, "full")


def _role(slot: Slot, program: Program) -> Role:
    if slot.phase == CALL and slot.is_reply:
        return "assistant"
    if slot.is_result:
        return "tool"
    # Without a reply that made it, what is called a tool call is a text.
    return "user" if program.base_of(slot.element) == "toolCall" else program.role_of(slot.element)
