"""The status line of a chat: where the session stands, cut to the width of the terminal."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from ..compiler.counted import counted
from ..compiler.visible import visible
from ..runtime.session import Session
from ..runtime.values import Format

#: A word with the blanks behind it, or the blanks that a line begins with.
_WORDS: Final = re.compile(r"\S+\s*|\s+")


def status_line(session: Session, format: Format, name: str) -> str:
    """Turn, slots on stage, tokens of what there may be (as far as it is known), the session's name."""
    used, most = session.governance.fullness or (session.tokens(format), None)
    parts = [
        f"turn {session.turn}" + (" (open)" if session.is_open else ""),
        f"{counted(session.slots_on_stage(), 'slot')} on stage",
        _fill(used, most),
    ]
    if queued := len(session.queue()):
        parts.append(f"{queued} queued")
    return " | ".join((*parts, name))


def fit(text: str, columns: int) -> str:
    """The text in at most ``columns`` cells of a terminal; what is cut off is told by an ellipsis."""
    if width(text) <= columns:
        return text
    return text[: _room(text, columns - 1)] + "…" if columns > 0 else ""


def wrapped(line: str, columns: int) -> list[str]:
    """A line as lines of at most so many cells, broken at blanks; a word that is wider is broken where it must be."""
    lines = [""]
    for word in _WORDS.findall(line):
        if lines[-1] and width(lines[-1] + word.rstrip()) > columns:
            lines.append("")
        while (room := max(1, _room(word, columns))) < len(word.rstrip()):
            lines[-1:] = [word[:room], ""]
            word = word[room:]
        lines[-1] += word
    return [line.rstrip() for line in lines]


def width(text: str) -> int:
    """The cells of a terminal that a text takes: two for a wide character, none for one that combines."""
    return sum(_cells(character) for character in text)


def printable(text: str) -> str:
    """A text that cannot move the cursor, change the terminal or turn the text around it: such characters go."""
    return "".join(c for c in text if c == visible(c))


def _room(text: str, columns: int) -> int:
    """How many characters of a text so many cells hold."""
    for count, character in enumerate(text):
        columns -= width(character)
        if columns < 0:
            return count
    return len(text)


def _cells(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me", "Cf", "Cc"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _fill(tokens: int, most: int | None) -> str:
    if most is None:
        return f"{tokens:,} tokens"
    return f"{tokens:,} of {most:,} tokens ({100 * tokens // most} %)"
