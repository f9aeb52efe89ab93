"""Links between articles: ``[[target]]``, ``[[target|shown]]``, ``[[target#part]]``."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..spans import Span
from .lengths import WHITE

_LINK = re.compile(r"\[\[([^\[\]|#\n]+)(?:[|#][^\[\]\n]*)?\]\]")
_FENCE = re.compile(r"^[ ]{0,3}(`{3,}|~{3,})[^\n]*(?:\n(?:.*\n)*?[ ]{0,3}\1[`~]*[ \t]*$|(?:\n.*)*)", re.MULTILINE)
_CODE = re.compile(r"(?<!`)(`+)(?!`)(?:(?!\n\n).)+?(?<!`)\1(?!`)", re.DOTALL)
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
    for code in (_FENCE, _CODE):
        text = code.sub(lambda match: _NOT_LINE_END.sub(" ", match[0]), text)
    return text
