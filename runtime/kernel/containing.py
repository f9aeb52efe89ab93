"""Containing: whether a value occurs in a content, also where the content is JSON and has it escaped. Pure.

A number is looked for as a whole one, and a short word as a word: the digits of 4711 stand in many timestamps and the
letters of ``port`` in every report, and neither says the value. Anything else is looked for wherever it stands.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import lru_cache
from typing import Final

from .content import Call, Image, Opaque, Text, decode

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


def contains(data: bytes, value: str) -> bool:
    """Whether ``value`` occurs in an encoded content: in its texts, its calls (id, name, arguments) or its data."""
    content = decode(data)
    if isinstance(content, str):
        return occurs(value, content)
    return any(occurs(value, text) for part in content for text in _texts(part, value))


def occurs(value: str, text: str) -> bool:
    """Whether a value occurs in a text, as it is or as JSON writes it: numbers and short words as whole ones."""
    return _finder(value)(text)


def is_bounded(value: str) -> bool:
    """Whether a value is looked for between bounds: a number, or a short word of a script that has capitals."""
    return _NUMBER.fullmatch(value) is not None or _is_short_word(value)


@lru_cache(maxsize=8)
def _finder(value: str) -> Callable[[str], bool]:
    found = _spellings(value)
    if not is_bounded(value):
        return lambda text: any(spelling in text for spelling in found)
    before, after = (_BEFORE_WORD, _AFTER_WORD) if _is_short_word(value) else (_BEFORE_NUMBER, _AFTER_NUMBER)
    before = "" if value[0] in "+-" else before
    pattern = re.compile(f"{before}(?:{'|'.join(map(re.escape, found))}){after}")
    return lambda text: pattern.search(text) is not None


def _is_short_word(value: str) -> bool:
    return len(value) <= SHORT and value.isalpha() and all(letter.lower() != letter.upper() for letter in value)


def _spellings(value: str) -> frozenset[str]:
    """A text as it is, and as JSON writes it, once or several times over."""
    found = newest = {value}
    for _ in range(_LEVELS):
        newest = {json.dumps(text, ensure_ascii=ascii)[1:-1] for text in newest for ascii in (True, False)}
        found = found | newest
    return frozenset(found)


def _texts(part: Text | Image | Opaque | Call, value: str) -> tuple[str, ...]:
    match part:
        case Text(text):
            return (text,)
        case Image(media_type, data):
            # In base64 the digits of a number and the letters of a word stand by chance.
            return (media_type,) if is_bounded(value) else (media_type, data)
        case Opaque(data):
            return (data,)
        case Call(id, name, arguments):
            return (id, name, arguments)
