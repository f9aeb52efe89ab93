"""Reduction: what a row's ``offload`` or ``stub`` makes of a slot, and whether it is any shorter. Pure."""

from __future__ import annotations

from collections.abc import Callable

from ...compiler.program import ElementRow
from .content import Call, Content, content_hash
from .representation import stand_in, stand_in_call
from .slots import Slot

#: The content of a slot.
ContentOf = Callable[[Slot], Content]


def reduces(slot: Slot, row: ElementRow, content: ContentOf) -> bool:
    """Whether retiring the slot by its row makes it shorter; a slot that drops always does."""
    if row.retire == "drop":
        return True
    if slot.is_call:
        return reduced_call(content(slot), None) != content(slot)
    how = "stub" if row.retire == "stub" else "ref"
    return stand_in(content(slot), "stub" if how == "stub" else "ref", slot.digest.hex()) is not None


def reduced_call(content: Content, key: str | None, digest_of: Callable[[str], str] = content_hash) -> Content:
    """A toolCall's content with its long arguments replaced, but for the one that is its chain's ``key``."""
    path = key.removeprefix("args.") if key is not None else None
    parts = () if isinstance(content, str) else content
    reduced = tuple(stand_in_call(p, path, digest_of) if isinstance(p, Call) else p for p in parts)
    return reduced if reduced != parts else content
