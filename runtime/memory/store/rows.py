"""The index of a journal, ``.journal-index.jsonl``: derived, shared with the original, made anew when it is stale.

A line is ``{"n": file name, "a": instant, "s": subjects}`` (specification of canon, section 3).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ....grammar.canon.entries import DATE_LENGTH, Entry


@dataclass(frozen=True, slots=True)
class Row:
    """An entry in the index: its file name, when it was logged, what it is about."""

    name: str
    logged: str
    subjects: tuple[str, ...]

    @property
    def line(self) -> str:
        """The row as a line of the file."""
        row = {"n": self.name, "a": self.logged, "s": self.subjects}
        return json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n"


def row_of(name: str, entry: Entry) -> Row:
    """The row of an entry; one that does not say when it was logged counts by the date of its name."""
    return Row(name, entry.logged or name[:DATE_LENGTH], entry.subjects)


def read_rows(text: str) -> Mapping[str, Row] | None:
    """The rows of an index by file name; None when a line is none.

    A line that was cut off in the middle of a write is none, so an index is never half believed.
    """
    rows: dict[str, Row] = {}
    if text and not text.endswith("\n"):
        return None
    for line in text.split("\n")[:-1]:
        row = _row(line)
        if row is None or row.name in rows:
            return None
        rows[row.name] = row
    return rows


def _row(line: str) -> Row | None:
    try:
        data: Any = json.loads(line)
    except (ValueError, RecursionError):
        return None
    match data:
        case {"n": str(name), "a": str(logged), "s": list(subjects)} if all(isinstance(s, str) for s in subjects):
            return Row(name, logged, tuple(subjects))
    return None


def is_torn(row: Row) -> bool:
    """Whether subjects look as the original cuts a quoted one when it makes its index anew: with a quote left over."""
    return any(subject.startswith('"') or subject.endswith('"') for subject in row.subjects)


def lines(rows: Iterable[Row]) -> bytes:
    """The file of rows."""
    return "".join(row.line for row in rows).encode("utf-8", "surrogateescape")
