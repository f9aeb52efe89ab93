"""The status line of a chat: where the session stands, cut to the width of the terminal."""

from __future__ import annotations

import unicodedata

from ..compiler.counted import counted
from ..compiler.visible import visible
from ..runtime.session import Session
from ..runtime.values import Format


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
    kept, left = [], columns - 1
    for character in text:
        left -= width(character)
        if left < 0:
            break
        kept.append(character)
    return "".join(kept) + "…" if columns > 0 else ""


def width(text: str) -> int:
    """The cells of a terminal that a text takes: two for a wide character, none for one that combines."""
    return sum(_cells(character) for character in text)


def printable(text: str) -> str:
    """A text that cannot move the cursor, change the terminal or turn the text around it: such characters go."""
    return "".join(c for c in text if c == visible(c))


def _cells(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me", "Cf", "Cc"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _fill(tokens: int, most: int | None) -> str:
    if most is None:
        return f"{tokens:,} tokens"
    return f"{tokens:,} of {most:,} tokens ({100 * tokens // most} %)"
