"""Events: the append-only facts of a session, and their row form in a store (kernel.md section 3).

State is the fold of the events. An event carries plain JSON data; contents are named by digest.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice
from typing import Any, Final, NamedTuple, cast

from ...compiler.program import Rule
from ...grammar.ast import Bound, BoundKind, Unit
from ...grammar.errors import DccError

FORMAT_VERSION: Final = 1

#: Rows that are parsed together: one call of the JSON parser for each costs more than the parsing, and what it makes of
#: many hundreds no longer fits into a processor's cache until they are folded.
_CHUNK: Final = 64

#: Every kind of event, with what its data holds.
KINDS: Final = {
    "session": "format, program, compiled, folder",
    "queued": "patch",
    "queue_dropped": "patch; entry where an undo may bring it back",
    "turn_begun": "labels, at (wall time); typed: false where no person typed its message",
    "slot_born": "the slot",
    "segment_opened": "slot, start, end",
    "segment_closed": "slot, index, end, was",
    "segment_removed": "slot, index, start, end",
    "hold_begun": "slot, name, since",
    "hold_lifted": "slot, name, until",
    "represented": "slot, how, was, since; note (digest), preview, images and was_… of each, at (wall time) where set",
    "kept": "slot, since",
    "unkept": "slot, until",
    "cancelled": "slot, since",
    "uncancelled": "slot, until",
    "rule_changed": "element, rule, was",
    "rule_copied": "slot, rule, was",
    "purged": "slots, digests, since; notes (the slots whose notes went) where there are any",
    "reply": "call, calls, usage",
    "tool_started": "slot",
    "call_completed": "ordinal",
    "turn_interrupted": "turn, sum",
    "turn_committed": "turn, sum",
    "undone": "transactions",
    "compaction_asked": "turn",
    "compaction_passed": "tokens, gained",
    "summarised": "usage",
    "governed": "on",
    "calibrated": "state",
    "operated": "actor, why, operations, outcome (digests), ok, applied, rejections, freed, before, after, key (hash)",
    "canon": "do, and what belongs to it (knowledge.py)",
    "break": "call, index",
    "notice": "code, said (digest of the message)",
}

#: Causes of the transactions that ``undo`` can take back (kernel.md section 3).
UNDOABLE: Final = frozenset(
    {
        "op", "reopen", "settle", "collapse", "compaction", "critical_pass", "pruning", "keep", "cancel",
        "rule_patch", "end",
    }
)  # fmt: skip

#: Events that people read and no state depends on.
FACTS: Final = frozenset({"break", "notice"})

#: Events that change nothing an undo could take back: a transaction of nothing else is none to undo.
ASIDE: Final = FACTS | {"governed", "calibrated", "operated", "canon", "summarised"}


class EventError(DccError):
    """Events that this version of dcc cannot fold."""


#: What a damaged event may raise when it is read or folded.
DAMAGE: Final = (KeyError, TypeError, ValueError, IndexError, AttributeError)


def damaged(error: Exception) -> EventError:
    """What is said of a row that cannot be read or folded (``damaged_events``)."""
    return EventError(
        "damaged_events", f"what is stored of this session is damaged ({type(error).__name__}: {error})",
        help="dcc verify SESSION tells which; take up a copy or an export instead",
    )  # fmt: skip


class Event(NamedTuple):
    """One fact: its number, where it stands (turn, completed calls), its transaction, kind, cause, data."""

    seq: int
    turn: int
    ordinal: int
    transaction: int
    kind: str
    cause: str
    data: dict[str, Any]

    def to_row(self) -> bytes:
        """The event as one line of JSON."""
        return _ENCODE(self).encode("utf-8", "surrogatepass")

    @classmethod
    def from_rows(cls, rows: Iterable[bytes]) -> Iterator[Event]:
        """The events of many rows, parsed some dozens at a time. Raises EventError (``damaged_events``)."""
        rest = iter(rows)
        while chunk := list(islice(rest, _CHUNK)):
            try:
                events = [cls._make(row) for row in _parsed(b"[" + b",".join(chunk) + b"]")]
            except DAMAGE as error:
                raise damaged(error) from error
            yield from events

    @classmethod
    def from_row(cls, row: bytes) -> Event:
        """The event of a row. Raises EventError (``damaged_events``)."""
        try:
            return cls._make(_parsed(row))
        except DAMAGE as error:
            raise damaged(error) from error


def check_format(version: int) -> None:
    """Refuse the events of a session that a newer dcc wrote. Raises EventError (``newer_session``)."""
    if version > FORMAT_VERSION:
        raise EventError(
            "newer_session",
            f"this session was begun by a newer dcc (events of version {version}, this one knows {FORMAT_VERSION})",
            help="install the dcc that wrote it, or a newer one",
        )


def _parsed(row: bytes) -> Any:
    return json.loads(row.decode("utf-8", "surrogatepass"))


_ENCODE = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


@lru_cache(maxsize=4096)
def rule_to_text(rule: Rule) -> str:
    """A rule as a short string for rows: kind, n, unit and element of its two bounds."""
    return ";".join(f"{b.kind}:{b.n}:{b.unit}:{b.element or ''}" for b in (rule.start, rule.end))


@lru_cache(maxsize=4096)
def rule_from_text(text: str) -> Rule:
    """The rule of :func:`rule_to_text`."""
    start, end = (_bound(part) for part in text.split(";"))
    return Rule(start, end)


def _bound(text: str) -> Bound:
    kind, n, unit, element = text.split(":")
    return Bound(cast(BoundKind, kind), int(n), cast(Unit, unit), element or None)
