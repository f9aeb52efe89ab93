"""Finds the content patches of a message in one reading from left to right (language.md section 3, 1 to 3).

The reading is linear in the message: every quantifier below is possessive or follows a literal, a line is
looked at once, and the windows of two patches never overlap.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from .ast import Vocabulary
from .blanks import BLANK, is_blank, line_end
from .names import COMMANDS, PROTOCOL_ELEMENTS

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
_ENDING_PAIR = re.compile(rf"{_PAIR}{BLANK}*+(?:\n|\Z)")
_OPENER = re.compile(f"^{BLANK}*+{_NAME}", re.MULTILINE)
_BLANK_LINE = re.compile(rf"\n{BLANK}*+\n")


@dataclass(frozen=True, slots=True)
class Window:
    """A patch as it stands in a message: the match of ``/name`` and the match of the pair that closes it."""

    name: re.Match[str]
    pair: re.Match[str]

    @property
    def start(self) -> int:
        """The character of the slash."""
        return self.name.start("name") - 1

    @property
    def end(self) -> int:
        """The character after the count."""
        return self.pair.end()


def windows(text: str, vocabulary: Vocabulary) -> Iterator[Window]:
    """The patches of a shielded message, in order, as far as they are asked for.

    Only lines that hold a pair are looked at; the name that runs on to such a line is sought from there.
    """
    inside = vocabulary.patchable - PROTOCOL_ELEMENTS - COMMANDS
    declared = vocabulary.declared | vocabulary.patchable | PROTOCOL_ELEMENTS
    since = 0  # no name before this character can run on
    slash = text.find("/")  # the first slash from there on
    for start, end, pair in _lines_with_pairs(text):
        if 0 <= slash < since:
            slash = text.find("/", since)
        if slash < 0:
            return
        if slash >= end:
            continue
        if text.find("/", start, end) < 0 and not _ENDING_PAIR.search(text, pair.start(), end + 1):
            continue
        line = _Line(text, start, end, inside, declared)
        patched = False
        for window in line.windows():
            patched = True
            yield window
        if patched or line.stops:
            since = end
        elif is_blank(text, line.last_pair.end(), end):
            opener = _running(text, since, start, declared)
            if opener and not is_blank(text, opener.end(), line.last_pair.start()):
                yield Window(opener, line.last_pair)
            since = end


def _lines_with_pairs(text: str) -> Iterator[tuple[int, int, re.Match[str]]]:
    """The first character, the end and the first pair of each line in which a pair stands."""
    at = 0
    while pair := PAIR.search(text, at):
        start = max(text.rfind("\n", at, pair.start()) + 1, at)
        end = line_end(text, pair.end())
        yield start, end, pair
        at = end + 1


def _running(text: str, since: int, start: int, declared: frozenset[str]) -> re.Match[str] | None:
    """The declared name that opens a line before ``start`` and whose content runs on to there, or None."""
    nearest = None
    for opener in _OPENER.finditer(text, since, start):
        if opener["name"] in declared or opener["name"] in COMMANDS:
            nearest = opener
    if nearest is None or nearest["name"] in COMMANDS or _BLANK_LINE.search(text, nearest.end(), start):
        return None
    return nearest


class _Line:
    """The reading of one line that holds a pair.

    ``opener``: the name that it starts with, if it is no command. ``last_pair``: the last pair of the line.
    ``stops``: whether the line ends the search of a name that runs on, as a declared name or a command does.
    """

    def __init__(
        self, text: str, start: int, end: int, inside: frozenset[str], declared: frozenset[str]
    ) -> None:
        self.text, self.start, self.end = text, start, end
        self.inside, self.declared = inside, declared
        self.opener: re.Match[str] | None = None
        self.stops = False
        self.last_pair: re.Match[str]

    def windows(self) -> Iterator[Window]:
        """The patches of the line.

        A pair belongs to the nearest candidate on its left that leaves content between the two; a candidate
        with a pair ends the window of the one before it.
        """
        before: re.Match[str] | None = None
        latest: re.Match[str] | None = None
        owner: re.Match[str] | None = None
        pairs: list[re.Match[str]] = []
        # One character more than the line, so that its end is seen to be white space.
        for first, token in enumerate(_TOKEN.finditer(self.text, self.start, self.end + 1)):
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
            elif first == 0 and is_blank(self.text, self.start, token.start()):
                self.stops = name in COMMANDS or name in self.declared
                if name in COMMANDS:
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
        stands_last = is_blank(self.text, pairs[-1].end(), end)
        if owner is self.opener and owner["name"] not in self.declared:
            return pairs[-1] if stands_last and end == self.end else None
        if stands_last:
            return pairs[-1]
        for pair in reversed(pairs):
            if self.text[pair.end()] in CLOSING:
                return pair
        return pairs[0] if owner is self.opener else None
