"""Links between articles: ``[[target]]``, ``[[target|shown]]``, ``[[target#part]]``."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass

from ..spans import Span
from .lengths import WHITE

_LINK = re.compile(r"\[\[([^\[\]|#\n]+)(?:[|#][^\[\]\n]*)?\]\]")
_FENCE = re.compile(r"^[ ]{0,3}(`{3,}|~{3,})[^\n]*(?:\n(?:.*\n)*?[ ]{0,3}\1[`~]*[ \t]*$|(?:\n.*)*)", re.MULTILINE)
_TICKS = re.compile("`+")
_BLANK_LINE = re.compile(r"\n(?=[ \t\r]*\n)")
_NOT_LINE_END = re.compile(r"[^\n]")


@dataclass(frozen=True, slots=True)
class Link:
    """A link as it is written: the target without white space around it, and where it stands in the text."""

    target: str
    span: Span


def links_in(text: str) -> tuple[Link, ...]:
    """The links of a text, in order. What stands in code, fenced or in backticks, is no link."""
    if "[[" not in text:
        return ()
    found = (Link(match[1].strip(WHITE), Span(*match.span())) for match in _LINK.finditer(without_code(text)))
    return tuple(link for link in found if link.target)


def references(text: str) -> tuple[str, ...]:
    """What a text refers to: the targets of its links in lower case, each once."""
    return tuple(dict.fromkeys(link.target.lower() for link in links_in(text)))


def without_code(text: str) -> str:
    """The text with blanks for its code, so that everything else stands where it stood."""
    if "`" not in text and "~~~" not in text:
        return text
    text = _FENCE.sub(_blanked, text)
    parts, at = list[str](), 0
    for code in _code_spans(text):
        parts += [text[at : code.start], _NOT_LINE_END.sub(" ", text[code.start : code.end])]
        at = code.end
    return "".join((*parts, text[at:]))


def _blanked(match: re.Match[str]) -> str:
    return _NOT_LINE_END.sub(" ", match[0])


def _code_spans(text: str) -> Iterator[Span]:
    """Code in backticks: it ends at the next run of as many, and before a blank line (CommonMark, section 6.1)."""
    runs = [match.span() for match in _TICKS.finditer(text)]
    following, same = [0] * len(runs), dict[int, int]()
    for number in reversed(range(len(runs))):
        start, end = runs[number]
        following[number] = same.get(end - start, 0)
        same[end - start] = number
    blank = [match.start() for match in _BLANK_LINE.finditer(text)]
    number = 0
    while number < len(runs):
        start, end = runs[number]
        close = following[number]
        if close and bisect_left(blank, end) == bisect_left(blank, runs[close][0]):
            yield Span(start, runs[close][1])
            number = close
        number += 1
