"""The tokens that texts are searched by (spec of the first system, section 12, put right). Pure.

Scripts that put blanks between words give words. Scripts that do not (Han, kana, hangul, Thai and its
neighbours) give every pair of neighbours in a run, and a run ends where anything else stands. A lone
character of a query is looked for as it is, so texts are filed under their single characters too.
"""

from __future__ import annotations

import re
import unicodedata

#: Characters of scripts without blanks between words, in ranges: Thai and Lao; Myanmar; hangul jamo; Khmer;
#: kana and bopomofo; Han; hangul; the planes of rare Han.
RUNNING = (
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ece\u0edc-\u0edf"
    "\u1000-\u103f\u1050-\u108f\u1100-\u11ff\u1780-\u17d3"
    "\u3005-\u3007\u3041-\u3096\u3099\u309a\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f\u31a0-\u31bf"
    "\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97c\uac00-\ud7fb\uf900-\ufaff"
    "\U0001b000-\U0001b16f\U00020000-\U0003ffff"
)
#: Marks that sit on the letters of a word: accents, Hebrew and Arabic points, vowel signs of India.
MARKS = "\u0300-\u036f\u0591-\u05bd\u064b-\u065f\u0670\u0900-\u0963\u0966-\u0dff"
_RUN = re.compile(f"[{RUNNING}]+")
#: A word: letters and digits with the marks that sit on them; or one emoji.
_WORD = re.compile(rf"(?:[^\W_]|[{MARKS}])+|[\U0001f000-\U0001faff]")
_ASCII_WORD = re.compile("[a-z0-9]+")


def query_tokens(text: str) -> frozenset[str]:
    """What a query is looked for by: words, pairs of running characters, and characters that stand alone."""
    words, runs = _split(text)
    for run in runs:
        words.update(_pairs(run) if len(run) > 1 else run)
    return frozenset(words)


def text_tokens(text: str) -> frozenset[str]:
    """What a text is found by: as for a query, and every single running character."""
    words, runs = _split(text)
    for run in runs:
        words.update(run)
        words.update(_pairs(run))
    return frozenset(words)


def _pairs(run: str) -> map[str]:
    return map(str.__add__, run, run[1:])


def _split(text: str) -> tuple[set[str], list[str]]:
    """The words of a text, and its runs of running characters, in one form of upper, lower, full and half width."""
    if text.isascii():
        return set(_ASCII_WORD.findall(text.lower())), []
    text = unicodedata.normalize("NFKC", text).casefold()
    return set(_WORD.findall(_RUN.sub(" ", text))), _RUN.findall(text)
