"""The transcript that a compressor gets (spec of the first system, section 13). Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Told(NamedTuple):
    """A slot as a transcript tells it."""

    turn: int
    element: str
    text: str


def transcript(slots: Iterable[Told]) -> str:
    """One line ``[第3轮 user] text`` a slot, in the order given; slots without text are left out."""
    return "\n".join(f"[第{slot.turn}轮 {slot.element}] {slot.text}" for slot in slots if slot.text.strip())


def host_transcript(slots: Iterable[Told]) -> str:
    """The same without turns: ``[user] text``, for hosts that compact by themselves."""
    return "\n".join(f"[{slot.element}] {slot.text}" for slot in slots if slot.text.strip())
