"""Cutting a result down to its head and its tail: the ref that fits into a room and shows most (kernel.md section 2).

The critical pass and the truncation of the overflow ladder cut by the same function. Pure.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate
from typing import Final, NamedTuple

from ..kernel.content import Content, Image, text_of
from ..kernel.representation import preview_of, ref_text, stand_in, with_images
from ..kernel.tokens import ASCII, MESSAGE_OVERHEAD, count_text, count_tokens

#: Tokens of room below which nothing is shown: a few torn lines tell nothing.
LEAST_SHOWN: Final = 60

#: Halvings in the search for the longest preview that fits: it is found to a thousandth of what is looked through.
_HALVINGS: Final = 10


class Room(NamedTuple):
    """How long a stand-in may be."""

    tokens: int
    characters: int = 1 << 40


#: The room of a bare address.
NO_ROOM: Final = Room(0, 0)


class Short(NamedTuple):
    """What would stand in a result's place: a preview of so many characters, and its first so many images.

    ``tokens`` and ``characters`` are those of the whole stand-in, its address and what it says of itself included;
    images are in the tokens only.
    """

    preview: int
    images: int
    tokens: int
    characters: int


#: (slot, room) -> what fits into it; None: nothing that is shorter than the content can be.
Shorten = Callable[[str, Room], Short | None]


def shortened(content: Content, digest: str, room: Room) -> Short | None:
    """The stand-in that shows most of a content in a room; None: nothing shorter than the content can be.

    Text and images share the room: neither takes more than half of it from the other. In a room that is smaller than
    an address there is still the address: a result is never empty (issue 107704).
    """
    bare = _short(content, digest, 0, 0)
    if bare is None or room.tokens < LEAST_SHOWN:
        return bare
    text, tokens = text_of(content), count_tokens(content)
    left = room.tokens - MESSAGE_OVERHEAD
    sizes = _sizes_of_images(content)
    if sizes:
        for_images = left - min(left // 2, count_text(ref_text(digest, tokens, text)))
        sizes = [size for size, together in zip(sizes, accumulate(sizes), strict=True) if together <= for_images]
        left -= sum(sizes)
    low, high = 0, min(len(text), room.characters, left * 1000 // ASCII)
    for _ in range(_HALVINGS):
        middle = (low + high + 1) // 2
        if middle <= low:
            break
        made = ref_text(digest, tokens, preview_of(text, middle))
        if len(made) <= room.characters and count_text(made) <= left:
            low = middle
        else:
            high = middle - 1
    return _short(content, digest, low, len(sizes)) or bare


def _sizes_of_images(content: Content) -> list[int]:
    """The tokens of each image of a content."""
    images = () if isinstance(content, str) else (part for part in content if isinstance(part, Image))
    return [count_tokens((image,)) - MESSAGE_OVERHEAD for image in images]


def _short(content: Content, digest: str, preview: int, images: int) -> Short | None:
    text = stand_in(content, "ref", digest, preview=preview, images=images)
    if text is None:
        return None
    return Short(preview, images, count_tokens(with_images(text, content, images)), len(text))
