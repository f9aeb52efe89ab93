"""Cutting a text down to its head and its tail, for what stands in a tool result's place. Pure."""

from __future__ import annotations

from typing import Final, NamedTuple

from ..kernel.content import Content, text_of
from ..kernel.representation import stand_in
from ..kernel.tokens import count_tokens

#: Of what is shown, the share of the head in percent; errors and totals stand at the end, so the tail has its part.
HEAD_SHARE: Final = 75

#: Characters that a stand-in has beside head and tail: the address, and what says how much is left out.
_FRAME: Final = 160

#: Tries to come below a room whose tokens lie unevenly in a text; each takes away a tenth more than is over.
_TRIES: Final = 6

#: Of the room that lines would fill, the part that they must fill; else the text is cut within lines.
_FILLED: Final = 0.5


class Room(NamedTuple):
    """How long a text may be."""

    characters: int
    tokens: int


class Short(NamedTuple):
    """What would stand in a result's place: a preview of so many characters, or a note with the head and the tail.

    ``characters`` and ``tokens`` are those of the whole stand-in, its address and what it says of itself included.
    """

    preview: int
    note: str | None
    characters: int
    tokens: int


def head_and_tail(text: str, head: int, tail: int, between: str = "...") -> str:
    """The first ``head`` and the last ``tail`` characters of a text, with a line between."""
    return f"{text[:head]}\n{between}\n{text[len(text) - tail :] if tail else ''}"


def shortened(content: Content, digest: str, room: Room) -> Short | None:
    """The longest stand-in, near enough, that fits into the room; None: nothing shorter than the content can be.

    It shows whole lines where there are enough of them, else it cuts within lines. In a room that is smaller than an
    address there is still the address: a result is never empty.
    """
    text = text_of(content)
    tokens = max(1, count_tokens(content))
    shown = min(room.characters, len(text) * room.tokens // tokens) - _FRAME
    for _ in range(_TRIES):
        if shown <= 0:
            break
        made = _made(content, text, digest, shown)
        if made is None:
            return None
        over = max(made.characters / room.characters, made.tokens / room.tokens)
        if over <= 1:
            return made
        shown = int(shown / over * 0.9)
    return _short(stand_in(content, "ref", digest), 0, None)


def _made(content: Content, text: str, digest: str, shown: int) -> Short | None:
    lines = _short(stand_in(content, "ref", digest, preview=shown), shown, None)
    if lines is not None and lines.characters >= _FILLED * shown:
        return lines
    head = shown * HEAD_SHARE // 100
    left_out = len(text) - shown
    if left_out <= 0:
        return lines
    note = head_and_tail(text, head, shown - head, f"[... {left_out} characters left out ...]")
    return _short(stand_in(content, "ref", digest, note=note), 0, note)


def _short(text: str | None, preview: int, note: str | None) -> Short | None:
    return None if text is None else Short(preview, note, len(text), count_tokens(text))
