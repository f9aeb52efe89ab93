"""Containing: whether a value occurs in a content, also where the content is JSON and has it escaped. Pure.

A number is looked for as a whole one, and a short word as a word: the digits of 4711 stand in many timestamps and the
letters of ``port`` in every report, and neither says the value. Anything else is looked for wherever it stands.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from .content import Call, Image, Opaque, Part, Text, decode

#: How deep JSON may lie in JSON: a file's text in a result, in a call's arguments.
_LEVELS: Final = 3

#: Longest word that is looked for between the bounds of words, in letters: a longer one is hardly a part of others.
SHORT: Final = 12

_NUMBER: Final = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")

#: What ends right before a value and belongs to the JSON that it stands in, whatever its last letter is.
_ESCAPE: Final = r"(?<=\\[bfnrt])|(?<=\\u[0-9a-fA-F]{4})"

#: Digits make one number with those beside them, and with those beyond one letter or mark: 2024-05-06, 10T12, 0.5.
_BEFORE_NUMBER: Final = rf"(?:{_ESCAPE}|(?<![0-9])(?<![0-9][A-Za-z_./-]))"
_AFTER_NUMBER: Final = r"(?![0-9])(?![A-Za-z_./-][0-9])"

#: Letters of scripts that have capitals make one word with those beside them; Chinese, say, sets no bounds of words.
_LETTER: Final = r"0-9A-Za-z_\u00c0-\u058f\u1e00-\u1fff"
_BEFORE_WORD: Final = rf"(?:{_ESCAPE}|(?<![{_LETTER}]))"
_AFTER_WORD: Final = rf"(?![{_LETTER}])"


class Finder:
    """Finds values in texts, as they are or as JSON writes them: numbers and short words as whole ones."""

    def __init__(self, values: Iterable[str]) -> None:
        numbers: list[str] = []
        words: list[str] = []
        others: list[str] = []
        for value in values:
            found = numbers if _NUMBER.fullmatch(value) else words if _is_short_word(value) else others
            found += _spellings(value)
        bounded = (*_bounded(numbers, _BEFORE_NUMBER, _AFTER_NUMBER), *_bounded(words, _BEFORE_WORD, _AFTER_WORD))
        self._bounded = re.compile("|".join(bounded)) if bounded else None
        self._others = tuple(dict.fromkeys(others))

    def occurs(self, text: str) -> bool:
        """Whether one of the values occurs in a text."""
        bounded = self._bounded is not None and self._bounded.search(text) is not None
        return bounded or self._stands_in(text)

    def is_in(self, data: bytes) -> bool:
        """Whether one occurs in an encoded content: in its texts, its calls (id, name, arguments) or its data."""
        content = decode(data)
        return self.occurs(content) if isinstance(content, str) else any(map(self._is_in_part, content))

    def _is_in_part(self, part: Part) -> bool:
        match part:
            case Text(text):
                return self.occurs(text)
            case Image(media_type, data):
                # In base64 the digits of a number and the letters of a word stand by chance.
                return self.occurs(media_type) or self._stands_in(data)
            case Opaque(data):
                return self.occurs(data)
            case Call(id, name, arguments):
                return any(map(self.occurs, (id, name, arguments)))

    def _stands_in(self, text: str) -> bool:
        return any(spelling in text for spelling in self._others)


def _bounded(spellings: Sequence[str], before: str, after: str) -> Iterator[str]:
    """The pattern of all spellings between bounds; nothing where there are none. A sign is a bound of its own."""
    for sign, bound in (("", before), ("+-", "")):
        found = [re.escape(s) for s in spellings if (s[0] in "+-") is bool(sign)]
        if found:
            yield f"{bound}(?:{'|'.join(found)}){after}"


def _is_short_word(value: str) -> bool:
    return len(value) <= SHORT and value.isalpha() and all(letter.lower() != letter.upper() for letter in value)


def _spellings(value: str) -> frozenset[str]:
    """A text as it is, and as JSON writes it, once or several times over."""
    found = newest = {value}
    for _ in range(_LEVELS):
        newest = {json.dumps(text, ensure_ascii=ascii)[1:-1] for text in newest for ascii in (True, False)}
        found = found | newest
    return frozenset(found)
