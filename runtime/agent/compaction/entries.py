"""The entries of a transcript: one for each slot that it tells of. Pure.

A transcript is text that a model reads, so its parts need no legal order of calls and results; a result's details are
not in it, for they are never born.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from ...kernel.tokens import count_text

#: The head of an entry, as ``runtime/compaction/transcript.py`` writes it: with its turn, or (for hosts) without.
_WITH_TURN: Final = re.compile(r"^\[第\d+轮 ([^\]\n]+)\] ", re.MULTILINE)
_WITHOUT: Final = re.compile(r"^\[(\w[\w-]*)\] ", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry, its head included. ``element`` is blank for what no head stands before."""

    element: str
    text: str
    tokens: int

    @classmethod
    def of(cls, element: str, text: str) -> Entry:
        """With its tokens, by the one counter."""
        return cls(element, text, count_text(text))


def entries_of(transcript: str) -> tuple[Entry, ...]:
    """The entries in order; joined by line ends they are the transcript again."""
    heads = list((_WITH_TURN if _WITH_TURN.match(transcript) else _WITHOUT).finditer(transcript))
    # Each ends before the line end in front of the next; the last one ends with the transcript.
    starts = [head.start() for head in heads]
    ends = [*(start - 1 for start in starts[1:]), len(transcript)]
    entries = [Entry.of(head[1], transcript[head.start() : end]) for head, end in zip(heads, ends, strict=False)]
    if transcript and (not starts or starts[0]):
        entries.insert(0, Entry.of("", transcript[: starts[0] - 1] if starts else transcript))
    return tuple(entries)
