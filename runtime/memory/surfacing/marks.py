"""Whether a text is in a conversation, told by its end (specification, 7.3).

A mark is an address and the end of the text that was delivered, both without case and punctuation; both must occur.
(The original keeps ASCII letters only, so that of Chinese text nothing but address and date is left to find.)
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from .paths import strings_in

#: Characters of the end of a text that are looked for.
LENGTH: Final = 120

#: A text that is shorter than this cannot be told from chance: it has no mark.
SHORTEST: Final = 24

_BETWEEN = re.compile(r"[\W_]+")


class Mark(NamedTuple):
    """What must occur in a conversation, normalised."""

    address: str
    end: str


def normalised(text: str) -> str:
    """A text in lower case, a blank for every run of what is no letter and no digit."""
    return _BETWEEN.sub(" ", text.lower()).strip()


def mark_of(address: str, text: str) -> Mark | None:
    """The mark of a text that was delivered; None: it is too short to be found again."""
    whole = normalised(text)
    return Mark(normalised(address), whole[-LENGTH:]) if len(whole) >= SHORTEST else None


def conversation_text(messages: list[object] | tuple[object, ...]) -> str:
    """All texts of a conversation, normalised. Arguments that are JSON in a text are read, too."""
    return " ".join(normalised(text) for text in _texts(messages))


def _texts(messages: object) -> Iterator[str]:
    for text in strings_in(messages):
        yield text
        if text.lstrip().startswith(("{", "[")):
            try:
                inner = json.loads(text)
            except (ValueError, RecursionError):
                continue
            yield from strings_in(inner)


def occurs(mark: Mark, text: str) -> bool:
    """Whether a mark is in the normalised text of a conversation."""
    return mark.address in text and mark.end in text
