"""The text format: message, excerpt with carets under the place, mend; and one summary line."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from ..diagnostics import Diagnostic, Position, Related
from ..source import SourceMap
from ..visible import visible, visible_line
from . import Report, summary

#: Widest excerpt, in columns of the terminal; longer lines are cut around the place.
WIDTH = 100
#: Columns that a tab takes in an excerpt.
TAB = 4

_COLOURS = {"error": "31;1", "warning": "33;1", "info": "36;1", "help": "32", "place": "34"}


def render(report: Report) -> str:
    """The report as text, with a final line end."""
    sources = {path: SourceMap(path, text, None) for path, text in report.texts.items()}
    blocks = ["\n".join(_block(d, sources, report.colour)) + "\n" for d in report.diagnostics]
    return "\n".join([*blocks, summary(report)]) + "\n"


def _block(diagnostic: Diagnostic, sources: dict[str, SourceMap], colour: bool) -> Iterator[str]:
    head = f"{diagnostic.severity}[{diagnostic.code} {diagnostic.name}]"
    yield f"{_paint(head, diagnostic.severity, colour)}: {visible(diagnostic.message)}"
    kind = diagnostic.severity
    yield from _excerpt(diagnostic.path, diagnostic.start, diagnostic.end, sources, kind, colour)
    for related in diagnostic.related:
        yield from _related(related, sources, colour)
    if diagnostic.help:
        yield f"  {_paint('help', 'help', colour)}: {visible(diagnostic.help)}"
    if diagnostic.fixes:
        best = diagnostic.fixes[0]
        option = "--fix" if best.safe else "--fix --unsafe-fixes"
        yield f"  {_paint('fix', 'help', colour)}: {visible(best.title)} ({option})"


def _related(related: Related, sources: dict[str, SourceMap], colour: bool) -> Iterator[str]:
    yield f"  {visible(related.message)}:"
    yield from _excerpt(related.path, related.start, related.end, sources, "place", colour)


def _excerpt(
    path: str, start: Position, end: Position, sources: dict[str, SourceMap], kind: str, colour: bool
) -> Iterator[str]:
    """The place, the line it stands in, and carets under it."""
    number = str(start.line)
    yield f"  {_paint('-->', 'place', colour)} {visible_line(path)}:{start.line}:{start.column}"
    source = sources.get(path)
    if source is None or not source.text:
        return
    line = source.line(start.line)
    first = start.column - 1
    last = end.column - 1 if end.line == start.line else len(line)
    line, first, last = _window(line, first, max(last, first + 1))
    carets = " " * _width(line[:first]) + "^" * max(1, _width(line[first:last]))
    gutter = " " * len(number)
    yield f"  {gutter} |"
    yield f"  {number} | {_shown(line)}"
    yield f"  {gutter} | {_paint(carets, kind, colour)}"


def _window(line: str, first: int, last: int) -> tuple[str, int, int]:
    """A piece of a long line around the place."""
    if _width(line) <= WIDTH:
        return line, first, min(last, max(len(line), first + 1))
    begin = max(0, first - WIDTH // 3)
    finish = min(len(line), begin + WIDTH)
    while finish > first + 1 and _width(line[begin:finish]) > WIDTH:
        finish -= 1
    before, after = "…" * (begin > 0), "…" * (finish < len(line))
    shift = begin - len(before)
    return before + line[begin:finish] + after, first - shift, min(last, finish) - shift


def _width(text: str) -> int:
    """Columns that a text takes in a terminal: wide letters two, combining marks none."""
    return sum(map(_columns, text))


def _columns(char: str) -> int:
    if char == "\t":
        return TAB
    if unicodedata.combining(char) or unicodedata.category(char) in ("Mn", "Me", "Cf", "Cc"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in ("W", "F") else 1


def _shown(line: str) -> str:
    """The line as an excerpt may print it: nothing that a terminal obeys reaches it, and nothing moves the carets."""
    return "".join(" " * TAB if c == "\t" else c for c in line if c == "\t" or visible_line(c) == c)


def _paint(text: str, kind: str, colour: bool) -> str:
    return f"\x1b[{_COLOURS[kind]}m{text}\x1b[0m" if colour else text
