"""White space and the ends of lines."""

from __future__ import annotations

import re

#: A regular expression for one blank within a line: any white space but the line feed (U+3000 is one).
BLANK = r"[^\S\n]"

_BLANKS = re.compile(f"{BLANK}*+")


def is_blank(text: str, start: int, end: int) -> bool:
    """Whether nothing but white space, or nothing at all, stands between two characters of ``text``."""
    return start == end or text[start:end].isspace()


def skip_blanks(text: str, at: int) -> int:
    """The first character from ``at`` on that is no blank: the line feed at the latest."""
    blanks = _BLANKS.match(text, at)
    return blanks.end() if blanks else at


def line_end(text: str, at: int) -> int:
    """The end of the line in which the character ``at`` stands: its line feed, or the end of the text."""
    end = text.find("\n", at)
    return len(text) if end < 0 else end
