"""Evidence: could the model still see the text that it was about to replace (contracts.md, ``dcc replay``)?

For every edit of the recording the lines of its old text are looked for in what was born before. The places are
found once a recording, so that to judge a policy is to compare sets.
"""

from __future__ import annotations

from dataclasses import dataclass

from .calls import Replayed
from .history import History
from .search import TextIndex

#: Non-blank characters from which on a line tells something (contracts.md).
TELLING = 9


@dataclass(frozen=True, slots=True)
class Edit:
    """An edit that counts, in the reply to call ``ordinal``: for each line the slots born before that hold it."""

    ordinal: int
    holders: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Kept:
    """How many edits count, how many of them had all their lines on stage, and how many in tool results alone."""

    counted: int
    kept: int
    kept_results_only: int


def lines_of(old_text: str) -> frozenset[str]:
    """The distinct lines of a text, stripped, that have at least ``TELLING`` non-blank characters."""
    stripped = (line.strip() for line in old_text.split("\n"))
    return frozenset(line for line in stripped if len("".join(line.split())) >= TELLING)


def find_evidence(history: History) -> tuple[Edit, ...]:
    """The edits that count: those with lines, each of which some slot born before the edit holds."""
    wanted = [(call, lines_of(text)) for call in history.calls for text in call.edits]
    index = TextIndex(slot.text for slot in history.slots)
    holders = {line: index.holders(line) for line in frozenset().union(*(lines for _, lines in wanted))}
    edits = []
    for call, lines in wanted:
        before = (1 << call.held) - 1
        found = tuple(holders[line] & before for line in lines)
        if found and all(found):
            edits.append(Edit(call.ordinal, found))
    return tuple(edits)


def kept_evidence(edits: tuple[Edit, ...], history: History, replayed: Replayed) -> Kept:
    """What of the evidence a policy had on stage, in full form, in the request of each edit's call."""
    kept = results_only = 0
    for edit in edits:
        full = replayed.calls[edit.ordinal - 1].full
        kept += all(holders & full for holders in edit.holders)
        results_only += all(holders & full & history.results for holders in edit.holders)
    return Kept(len(edits), kept, results_only)
