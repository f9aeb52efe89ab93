"""Finds the content patches of a message in one reading from left to right (language.md section 3, 1 to 3).

The reading is linear in the message: every quantifier below is possessive or follows a literal, a line is
looked at once, and the windows of two patches never overlap.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import groupby

from .ast import Vocabulary
from .names import COMMANDS, PROTOCOL_ELEMENTS

#: Blanks within a line: all white space but the line feed (U+3000 is one).
BLANK = r"[^\S\n]"

#: What may follow a pair and stays in the text; ``.`` and ``,`` only if no digit follows (section 3).
CLOSING = "。，；！？、,.;!?)）」』”"

#: The modes as typed, ``remian`` being the usual slip for remain.
MODES = ("remain", "roll", "refresh", "remian")

# A slash may follow a letter or mark of these scripts directly. Left out are marks that open a quotation,
# full-width quotes, slashes, grave accents, digits and letters: after those it is quoted or inside a word.
_CJK = (
    "\u1100-\u11ff\u2e80-\u2fdf\u3001-\u3007\u3009\u300b\u300d\u300f-\u301c\u301e-\u303f\u3040-\u318f"
    "\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff"
    "\uff01\uff03-\uff06\uff08-\uff0e\uff1a-\uff20\uff3b\uff3d-\uff3f\uff5b-\uff61\uff63-\uff9f"
    "\U00020000-\U0003ffff\u2014\u2026\u201d"
)
_DIGIT = "0-9０-９"
_MARKS = "".join(mark for mark in CLOSING if mark not in ".,")
_PAIR = (
    rf"r(?<=\sr)(?:{'|'.join(mode[1:] for mode in MODES)}){BLANK}++"
    rf"(?:none|[1-9１-９][{_DIGIT}]{{0,5}}+)(?=\s|\Z|[{_MARKS}]|[.,](?![{_DIGIT}]))"
)
# The lookbehinds stand after the first letter so that the search may jump from one such letter to the next.
_NAME = rf"/(?<![^\s{_CJK}]/)(?P<name>[^\W\d][\w-]*+)(?=\s){BLANK}*+"

PAIR = re.compile(_PAIR)
_TOKEN = re.compile(f"{_NAME}|{_PAIR}")
_BLANK_LINE = re.compile(rf"\n{BLANK}*+\n")


def _fence(mark: str, info: str) -> str:
    """Fenced code from its opening line to its closing line or the text's end; ``info``: what may follow."""
    name = "tick" if mark == "`" else "tilde"
    close = rf"{BLANK}*+(?P={name}){mark}*+{BLANK}*+$"
    return rf"{BLANK}*+(?P<{name}>{mark}{{3,}}+){info}*+$(?:\n(?!{close}).*+)*+(?:\n.*+)?+"


_FENCES = "|".join((_fence("`", r"[^`\n]"), _fence("~", ".")))
_SHIELDED = re.compile(
    rf"^(?:(?P<fence>(?:(?:{_FENCES})(?:\n|\Z))++)|(?:{BLANK}*+>.*+(?:\n|\Z))++)", re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class Window:
    """A patch as it stands in a message: the match of ``/name`` and the match of the pair that closes it."""

    name: re.Match[str]
    pair: re.Match[str]

    @property
    def start(self) -> int:
        """The character of the slash."""
        return self.name.start()

    @property
    def end(self) -> int:
        """The character after the count."""
        return self.pair.end()


def shield(source: str) -> str:
    """``source`` with nothing to read in fenced code and quoted lines; every character keeps its place.

    Fenced code becomes a blank line, which stops a patch that runs on just as a fence does. A quoted line
    does not stop it, so it only loses the letters that a slash name or a pair begins with.
    """
    if not (">" in source or "```" in source or "~~~" in source):
        return source
    return _SHIELDED.sub(_hide, source)


def _hide(block: re.Match[str]) -> str:
    text = block[0]
    if block["fence"] is None:
        return text.replace("/", ">").replace("r", ">")
    return " " * (len(text) - 1) + text[-1] if text[-1] == "\n" else " " * len(text)


def windows(text: str, vocabulary: Vocabulary) -> Iterator[Window]:
    """The patches of a shielded message, in order, as far as they are asked for."""
    inside = vocabulary.patchable - PROTOCOL_ELEMENTS - COMMANDS
    declared = vocabulary.declared | vocabulary.patchable | PROTOCOL_ELEMENTS
    running: re.Match[str] | None = None  # a declared name whose line has no pair: it runs on
    seen = 0  # the end of the line before
    for (start, end), tokens in groupby(_TOKEN.finditer(text), _lines_of(text)):
        if running and _BLANK_LINE.search(text, seen, start):
            running = None
        seen = end
        line = _Line(text, start, end, inside, declared)
        patched = False
        for window in line.windows(tokens):
            patched = True
            yield window
        if line.opener and line.opener["name"] in declared:
            running = None if line.last_pair else line.opener
        elif patched or line.is_command:
            running = None
        elif running and line.last_pair and _blank(text, line.last_pair.end(), end):
            if not _blank(text, running.end(), line.last_pair.start()):
                yield Window(running, line.last_pair)
            running = None


def _lines_of(text: str) -> Callable[[re.Match[str]], tuple[int, int]]:
    """The line (its first character, its end) in which a token begins, for tokens in order."""
    line = (0, -1)

    def line_of(token: re.Match[str]) -> tuple[int, int]:
        nonlocal line
        at = token.start()
        if at > line[1]:
            end = text.find("\n", at)
            line = (text.rfind("\n", max(line[1], 0), at) + 1, len(text) if end < 0 else end)
        return line

    return line_of


class _Line:
    """The reading of one line.

    ``opener``: the name that it starts with, if it is no command. ``last_pair``: the last pair that was read.
    """

    def __init__(
        self, text: str, start: int, end: int, inside: frozenset[str], declared: frozenset[str]
    ) -> None:
        self.text, self.start, self.end = text, start, end
        self.inside, self.declared = inside, declared
        self.opener: re.Match[str] | None = None
        self.last_pair: re.Match[str] | None = None
        self.is_command = False

    def windows(self, tokens: Iterator[re.Match[str]]) -> Iterator[Window]:
        """The patches of the line.

        A pair belongs to the nearest candidate on its left that leaves content between the two; a candidate
        with a pair ends the window of the one before it.
        """
        before: re.Match[str] | None = None
        latest: re.Match[str] | None = None
        owner: re.Match[str] | None = None
        pairs: list[re.Match[str]] = []
        for first, token in enumerate(tokens):
            name = token["name"]
            if name is None:
                self.last_pair = token
                if latest is None:
                    continue
                holder = latest if token.start() > latest.end() else before
                if holder and holder is not owner:
                    yield from self._closed(owner, pairs, holder.start())
                    owner, pairs = holder, []
                if holder:
                    pairs.append(token)
            elif first == 0 and _blank(self.text, self.start, token.start()):
                if name in COMMANDS:
                    self.is_command = True
                    return
                self.opener = latest = token
            elif name in self.inside:
                before, latest = latest, token
        yield from self._closed(owner, pairs, self.end)

    def _closed(self, owner: re.Match[str] | None, pairs: list[re.Match[str]], end: int) -> Iterator[Window]:
        """The window of ``owner``, if one of its pairs closes it before ``end``."""
        while pairs and pairs[-1].start() > end:
            pairs.pop()
        if owner and pairs and (pair := self._closing(owner, pairs, end)):
            yield Window(owner, pair)

    def _closing(self, owner: re.Match[str], pairs: list[re.Match[str]], end: int) -> re.Match[str] | None:
        """The pair that closes ``owner`` (rule 3), or None."""
        stands_last = _blank(self.text, pairs[-1].end(), end)
        if owner is self.opener and owner["name"] not in self.declared:
            return pairs[-1] if stands_last and end == self.end else None
        if stands_last:
            return pairs[-1]
        for pair in reversed(pairs):
            if self.text[pair.end()] in CLOSING:
                return pair
        return pairs[0] if owner is self.opener else None


def _blank(text: str, start: int, end: int) -> bool:
    return start == end or text[start:end].isspace()
