"""What is left of a message once its patches are taken out (language.md section 3, rule 4)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .blanks import is_blank, line_end, skip_blanks
from .spans import Span


def without(source: str, spans: Sequence[Span]) -> str:
    """``source`` without the spans and the blanks on one side of each; a line that this empties goes.

    ``spans`` are in order and do not overlap. At a line's start the blanks after go, else those before.
    """
    kept: list[str] = []
    at = 0
    for start, end, group in _by_line(source, spans):
        line: list[str] = []
        written = False  # whether anything but blanks is left of the line so far
        done = start
        for span in group:
            before = source[done : span.start]
            written = written or not is_blank(source, done, span.start)
            line.append(before.rstrip() if written else before)
            done = span.end if written else skip_blanks(source, span.end)
        kept.append(source[at:start])
        if written or not is_blank(source, done, end):
            kept += [*line, source[done : end + 1]]
        at = end + 1
    return "".join(kept) + source[at:]


def _by_line(source: str, spans: Sequence[Span]) -> Iterator[tuple[int, int, list[Span]]]:
    """The spans of each line, or of the lines that one span joins, with the first character and the end."""
    end = -1
    group: list[Span] = []
    start = 0
    for span in spans:
        if span.start > end:
            if group:
                yield start, end, group
            start, group = source.rfind("\n", max(end, 0), span.start) + 1, []
            end = line_end(source, span.end)
        group.append(span)
    if group:
        yield start, end, group
