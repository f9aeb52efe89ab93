"""The journal: what was done to the context, by whom and why, read from the events (spec/cpat.md section 10).

The ledger is the journal. A transaction of operations, applied or refused, left an ``operated`` event; what the
runtime did by itself, and what was taken back, are transactions without one.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from itertools import groupby
from typing import Any, Final

from ..errors import StoreError
from ..kernel.content import decode, text_of
from ..kernel.events import Event
from ..recorder import Recorder

#: Causes of the transactions by which the runtime changes the context on its own.
_RUNTIME: Final = ("critical_pass", "pruning", "compaction", "settle", "collapse")

#: What is told of a reason that held what a redaction deleted.
REDACTED: Final = "(the reason was redacted)"

#: Who acts where no ``operated`` event says it.
_ACTORS: Final[Mapping[str, str]] = dict.fromkeys(_RUNTIME, "runtime") | {"undo": "person"}


@dataclass(frozen=True, slots=True)
class Entry:
    """One transaction of the journal.

    ``transaction``: its number, None when nothing was changed. ``cause``: op, refused, or what the runtime did.
    ``operations`` as they were asked for, None where there were none or a redaction has deleted them.
    ``rejections``: (op_index, rule, message). ``freed`` and ``delta`` in tokens, None where nobody counted.
    ``before`` and ``after``: state hashes, where they were recorded. ``slots``: those that it changed.
    ``undone``: it was taken back since.
    """

    transaction: int | None
    turn: int
    ordinal: int
    actor: str
    cause: str
    reason: str
    ok: bool = True
    applied: int = 0
    operations: list[Any] | None = None
    rejections: tuple[tuple[int, str, str], ...] = ()
    freed: int | None = None
    delta: int | None = None
    before: str | None = None
    after: str | None = None
    slots: tuple[str, ...] = ()
    undone: bool = False
    outcome: Mapping[str, Any] = field(default_factory=dict)

    def document(self) -> dict[str, Any]:
        """The entry as plain JSON."""
        document = asdict(self)
        del document["outcome"]
        document["rejections"] = [
            {"op_index": index, "rule": rule, "message": message} for index, rule, message in self.rejections
        ]
        return document | {"slots": list(self.slots)}

    def line(self) -> str:
        """The entry in one line: when, who, what came of it, why."""
        if self.cause == "undo":
            came = f"{self.reason} taken back (#{self.transaction})"
        elif self.applied:
            came = f"{self.applied} applied, {self.freed:,} tokens freed (#{self.transaction})"
        elif not self.ok:
            came = "refused: " + ", ".join(dict.fromkeys(rule for _, rule, _ in self.rejections))
        elif self.transaction is None:
            came = "nothing changed"
        else:
            count = len(self.slots)
            came = f"{self.cause}, {count} {'slot' if count == 1 else 'slots'} (#{self.transaction})"
        given = " ".join(self.reason.split()) or "no reason given"
        reason = "" if self.cause in _ACTORS else f" - {given}"
        return f"turn {self.turn}, {self.actor}: {came}{reason}" + (", undone" if self.undone else "")


def entries(recorder: Recorder, after: int = 0) -> Iterator[Entry]:
    """The entries of the events with a seq above ``after``, oldest first. Costs what there is to read."""
    for part in _parts(recorder, after):
        yield from _entries(recorder, part)


def newest(recorder: Recorder, count: int) -> tuple[Entry, ...]:
    """The newest entries, oldest first. Costs O(history)."""
    parts = deque(_parts(recorder, 0), maxlen=count)
    return tuple(entry for part in parts for entry in _entries(recorder, part))


#: What one transaction did for one cause: its number, the cause, its events.
_Part = tuple[int, str, list[Event]]


def _parts(recorder: Recorder, after: int) -> Iterator[_Part]:
    for number, events in groupby(recorder.events(after), key=lambda event: event.transaction):
        by_cause: dict[str, list[Event]] = {}
        for event in events:
            by_cause.setdefault(event.cause, []).append(event)
        for cause, found in by_cause.items():
            if any(event.kind == "operated" for event in found) or (cause in _ACTORS and _is_told(found)):
                yield number, cause, found


def _is_told(events: list[Event]) -> bool:
    """Whether something was done that people would want to know of."""
    return any("slot" in event.data or event.kind == "undone" for event in events)


def _entries(recorder: Recorder, part: _Part) -> Iterator[Entry]:
    number, cause, events = part
    operated = [event for event in events if event.kind == "operated"]
    if operated:
        yield from (_operated(recorder, event, events) for event in operated)
    else:
        yield _acted(recorder, number, cause, events)


def _operated(recorder: Recorder, event: Event, events: list[Event]) -> Entry:
    data = event.data
    outcome = _stored(recorder, data.get("outcome")) or {}
    messages = outcome.get("rejections") or [{"message": ""}] * len(data["rejections"])
    number = event.transaction if event.cause == "op" else None
    return Entry(
        transaction=number,
        turn=event.turn,
        ordinal=event.ordinal,
        actor=data["actor"],
        cause=event.cause,
        reason=_told(recorder, data),
        ok=data["ok"],
        applied=data["applied"],
        operations=_stored(recorder, data["operations"]),
        rejections=tuple(
            (index, rule, told["message"]) for (index, rule), told in zip(data["rejections"], messages, strict=True)
        ),
        freed=data["freed"],
        delta=outcome.get("delta_tokens"),
        before=data["before"],
        after=data["after"],
        slots=_slots(events),
        undone=number in recorder.ledger.undone,
        outcome=outcome,
    )


def _acted(recorder: Recorder, number: int, cause: str, events: list[Event]) -> Entry:
    first = events[0]
    taken_back = [n for event in events if event.kind == "undone" for n in event.data["transactions"]]
    notices = [recorder.message_of(event) for event in events if event.kind == "notice"]
    reason = ", ".join(f"#{n}" for n in taken_back) or "; ".join(notices) or cause
    return Entry(
        number, first.turn, first.ordinal, _ACTORS[cause], cause, reason,
        slots=_slots(events), undone=number in recorder.ledger.undone,
    )  # fmt: skip


def _slots(events: Iterable[Event]) -> tuple[str, ...]:
    """The slots that events changed, in order."""
    names: dict[str, None] = {}
    for event in events:
        if event.kind == "purged":
            names.update(dict.fromkeys((*event.data["slots"], *event.data.get("notes", ()))))
        elif "slot" in event.data:
            names[event.data["slot"]] = None
    return tuple(names)


def _told(recorder: Recorder, data: Mapping[str, Any]) -> str:
    """The reason that was given. Sessions that dcc 0.1 began hold it in the event itself."""
    if "reason" in data:
        return str(data["reason"])
    try:
        return text_of(decode(recorder.content(bytes.fromhex(data["why"]))))
    except StoreError:
        return REDACTED


def _stored(recorder: Recorder, digest: str | None) -> Any:
    """What a JSON text in the store says; None: it is not there any more, for a redaction deletes it too."""
    if digest is None:
        return None
    try:
        return json.loads(text_of(decode(recorder.content(bytes.fromhex(digest)))))
    except StoreError:
        return None
