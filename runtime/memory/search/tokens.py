"""The terms by which articles are found (specification of canon, section 9).

For text in ASCII they are those of the original, so scores agree with its. Beyond that a word may have letters of any
script, accents do not tell words apart, and scripts without blanks between words (Chinese, Japanese, Korean, Thai)
give every pair of neighbours in a run. Terms that the original drops are **lesser** ones: words of two and three
characters and lone characters, which ``search`` looks for when nothing else is found.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from ...recall.tokens import MARKS, RUNNING

#: Length from which a word is a term; section 9.
SHORTEST: Final = 4

#: Length from which a shorter word is a lesser term. One letter tells nothing, unless an address has it.
SHORTEST_LESSER: Final = 2

_STOP_WORDS: Final = (
    "about after again against because been before being between both cannot could does doing down during "
    "each from further have having here into itself just more most once only other over same should some "
    "such than that their them then there these they this those through under until very were what when "
    "where which while will with would your"
)

#: Words that are no terms, however long; section 9.
STOP: Final = frozenset(_STOP_WORDS.split())

_ASCII_WORD = re.compile("[a-z0-9_]+")
_WORD = re.compile(rf"[\w{MARKS}]+")
_RUN = re.compile(f"[{RUNNING}]+")
#: Full and half width forms, and ligatures: the same letters as others, written in another width.
_WIDTHS = re.compile("[\ufb00-\ufb06\uff00-\uffef]+")
_ACCENTS = re.compile("[\u0300-\u036f]+")


@dataclass(frozen=True, slots=True)
class Bag:
    """The terms of a document with how often it has them, lesser ones too; ``length`` counts those that are not."""

    length: int
    counts: Mapping[str, int]


def folded(text: str) -> str:
    """A text in one form of case, width, accents and composition."""
    if text.isascii():
        return text.lower()
    text = _WIDTHS.sub(lambda run: unicodedata.normalize("NFKC", run[0]), text)
    text = unicodedata.normalize("NFD", text).casefold()
    return unicodedata.normalize("NFC", _ACCENTS.sub("", text))


def bag_of(text: str, address: str = "") -> Bag:
    """The terms of a document. Every word of its address is one, lesser or not."""
    words, runs = _split(text)
    counts = Counter(word for word in words if len(word) >= SHORTEST and word not in STOP)
    for run in runs:
        counts.update(_pairs(run))
    length = counts.total()
    counts.update(word for word in words if SHORTEST_LESSER <= len(word) < SHORTEST)
    for run in runs:
        counts.update(run)
    for word in _split(address)[0]:
        counts.setdefault(word, 1)
    return Bag(length, counts)


def terms_of(query: str) -> tuple[str, ...]:
    """The terms of a query, each once."""
    words, runs = _split(query)
    terms = [word for word in words if len(word) >= SHORTEST and word not in STOP]
    return tuple(dict.fromkeys(terms + [pair for run in runs for pair in _pairs(run)]))


def lesser_terms_of(query: str) -> tuple[str, ...]:
    """The terms of a query that are looked for when the others find nothing, each once."""
    words, runs = _split(query)
    terms = [word for word in words if len(word) < SHORTEST or word in STOP]
    return tuple(dict.fromkeys(terms + [run for run in runs if len(run) == 1]))


def _pairs(run: str) -> map[str]:
    return map(str.__add__, run, run[1:])


def _split(text: str) -> tuple[list[str], list[str]]:
    """The words of a text, and its runs of characters that no blanks part; folded."""
    text = folded(text)
    if text.isascii():
        words, runs = _ASCII_WORD.findall(text), []
    else:
        words, runs = _WORD.findall(_RUN.sub(" ", text)), _RUN.findall(text)
    if "_" in text:
        words = [stripped for word in words if (stripped := word.strip("_"))]
    return words, runs
