"""Conflicts that a merge left in a text: two sides between git's markers (git-merge, "How conflicts are presented")."""

from __future__ import annotations

import re

from ..spans import Span
from .links import without_code

#: The markers in the order in which they stand, at the start of a line; what follows names a side.
_MARKERS = tuple(re.compile(rf"^{mark}(?=[ \r\n]|\Z)", re.MULTILINE) for mark in ("<{7}", "={7}", ">{7}"))


def conflict_in(text: str) -> Span | None:
    """The first marker of the first conflict in a text; None: there is none. One in code is an example."""
    if "<<<<<<<" not in text or ">>>>>>>" not in text:
        return None
    text = without_code(text)
    at, first = 0, None
    for marker in _MARKERS:
        match = marker.search(text, at)
        if match is None:
            return None
        first, at = first or match, match.end()
    return None if first is None else Span(*first.span())
