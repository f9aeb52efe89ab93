"""Which texts hold a line: an index of whole words, so that thousands of lines are looked up in one pass."""

from __future__ import annotations

import re
from collections.abc import Iterable

from .calls import bits_of

_WORD = re.compile(r"\w+")


class TextIndex:
    """Texts by number, and the sets of them (see calls.py) that hold a word."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._texts = tuple(texts)
        self._all = (1 << len(self._texts)) - 1
        self._holders: dict[str, int] = {}
        for number, text in enumerate(self._texts):
            for word in set(_WORD.findall(text)):
                self._holders[word] = self._holders.get(word, 0) | 1 << number

    def holders(self, line: str) -> int:
        """The set of texts of which ``line`` is a substring.

        A word that the line neither starts nor ends with is a whole word of every text that holds the line.
        """
        found = self._all
        for match in _WORD.finditer(line):
            if match.start() > 0 and match.end() < len(line):
                found &= self._holders.get(match[0], 0)
        return sum(1 << number for number in bits_of(found) if line in self._texts[number])
