"""The slot x turn table: which slots stood on stage in which turns, for people."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence

#: One mark a cell: on stage in full, as a ref, as a stub, off stage; before its birth a slot has none.
MARKS = {"full": "#", "ref": "r", "stub": "s", "off": "."}

LEGEND = "# on stage   r ref   s stub   . off stage"


def stage_table(columns: Sequence[str], rows: Mapping[str, Sequence[str | None]]) -> list[str]:
    """The lines of a table with a heading: a row a slot, a column a turn.

    ``rows`` gives for each slot one of ``full``, ``ref``, ``stub``, ``off`` or None (not yet born) a column.
    """
    label = max((width_of(slot) for slot in rows), default=0)
    widths = [max(1, width_of(column)) for column in columns]
    heading = [column.rjust(width) for column, width in zip(columns, widths, strict=True)]
    lines = [" ".join([" " * label, *heading]).rstrip()]
    for slot, marks in rows.items():
        cells = [(MARKS[mark] if mark else "").rjust(width) for mark, width in zip(marks, widths, strict=True)]
        lines.append(" ".join([pad(slot, label), *cells]).rstrip())
    return lines


def pad(text: str, columns: int) -> str:
    """``text`` with blanks up to ``columns`` terminal columns."""
    return text + " " * (columns - width_of(text))


def width_of(text: str) -> int:
    """Terminal columns that ``text`` takes: wide characters two, combining marks none (UAX 11)."""
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text
    )
