"""Snapshots: what a ledger holds beside its slots, as JSON, so that a session opens without its first events.

A snapshot only saves time: state is the fold of the events (kernel.md section 3). One of a version that this code
does not know is refused, never guessed (spec of the first system, section 15).
"""

from __future__ import annotations

import json
from array import array
from dataclasses import astuple
from itertools import chain, groupby, repeat, starmap
from typing import Any, Final

from ...grammar.errors import DccError
from .events import rule_from_text, rule_to_text
from .index import Index
from .knowledge import Knowledge
from .ledger import Ledger
from .records import Compacting, OpenReply, QueueEntry, Spending, Transaction
from .stored import Reading, StoredElements, StoredSlots, StoredWires, stored_results, stored_touches

SNAPSHOT_VERSION: Final = 6

#: Fields of a ledger that are written as they are.
_PLAIN: Final = (
    "turn", "asked", "call", "ordinal", "births", "seq", "transaction", "settled", "last_pin", "is_open", "folder",
    "governed", "calibration", "keys",
)  # fmt: skip


class SnapshotError(DccError):
    """A snapshot that cannot be used: of an unknown version, or damaged."""


def snapshot_of(ledger: Ledger, total: int) -> dict[str, Any]:
    """The snapshot of a ledger whose rows sum to ``total`` (see ``hashing``). No turn may be staged."""
    reply = ledger.reply
    return {
        "version": SNAPSHOT_VERSION,
        **{name: getattr(ledger, name) for name in _PLAIN},
        "sum": f"{total:064x}",
        "rules": {element: rule_to_text(rule) for element, rule in ledger.rules.items()},
        "queue": [astuple(patch) for patch in ledger.queue],
        "patches": {element: slots for element, slots in ledger.patches.items() if slots},
        "waiting": {event: sorted(slots) for event, slots in ledger.waiting.items() if slots},
        "labels": {str(turn): labels for turn, labels in ledger.labels.items()},
        "history": [astuple(transaction) for transaction in ledger.history],
        "undone": sorted(ledger.undone),
        "last_undo": None if ledger.last_undo is None else astuple(ledger.last_undo),
        "versions": ledger.versions.of,
        "purged": sorted(ledger.purged),
        "compacting": astuple(ledger.compacting),
        "spending": astuple(ledger.spending),
        "calls": [[turn, sum(1 for _ in calls)] for turn, calls in groupby(ledger.turn_of)],
        "reply": None if reply is None else [reply.call, reply.calls, reply.pieces, sorted(reply.started)],
        "numbering": {element: last for element, last in ledger.numbering.items() if last[1]},
        "elements": sorted(ledger.by_element),
        "knowledge": ledger.knowledge.to_json(),
    }


def snapshot_to_row(snapshot: dict[str, Any]) -> bytes:
    """The snapshot as a line of JSON."""
    return _ENCODE(snapshot).encode("utf-8", "surrogatepass")


_ENCODE = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def read_snapshot(row: bytes) -> dict[str, Any]:
    """The snapshot of :func:`snapshot_to_row`.

    Raises SnapshotError: ``unknown_snapshot``, ``damaged_snapshot``, ``old_snapshot`` (of an earlier dcc: the events
    tell all that it told).
    """
    try:
        snapshot = json.loads(row.decode("utf-8", "surrogatepass"))
        version = snapshot["version"]
    except (ValueError, KeyError, TypeError):
        raise SnapshotError("damaged_snapshot", "the snapshot cannot be read") from None
    if type(version) is int and 0 < version < SNAPSHOT_VERSION:
        raise SnapshotError("old_snapshot", f"the snapshot has version {version}, an earlier one")
    if version != SNAPSHOT_VERSION:
        raise SnapshotError(
            "unknown_snapshot",
            f"the snapshot has version {version!r}, this dcc knows version {SNAPSHOT_VERSION}",
            help="open the session with the dcc that wrote it, or install a newer one",
        )
    return dict(snapshot)


def restore(snapshot: dict[str, Any], index: Index) -> tuple[Ledger, int]:
    """The ledger of a snapshot, over the stored slots, and the sum of its rows.

    Raises SnapshotError (``damaged_snapshot``) when something is missing.
    """
    ledger = Ledger()
    try:
        for name in _PLAIN:
            setattr(ledger, name, snapshot[name])
        ledger.rules = {element: rule_from_text(rule) for element, rule in snapshot["rules"].items()}
        ledger.queue = [QueueEntry(*patch) for patch in snapshot["queue"]]
        ledger.patches = snapshot["patches"]
        ledger.waiting = {event: dict.fromkeys(slots) for event, slots in snapshot["waiting"].items()}
        ledger.labels = {int(turn): labels for turn, labels in snapshot["labels"].items()}
        ledger.history = [Transaction(*transaction) for transaction in snapshot["history"]]
        ledger.undone = set(snapshot["undone"])
        ledger.last_undo = None if snapshot["last_undo"] is None else Transaction(*snapshot["last_undo"])
        ledger.purged = set(snapshot["purged"])
        ledger.versions.of = {first: list(later) for first, later in snapshot["versions"].items()}
        ledger.compacting = Compacting(*snapshot["compacting"])
        ledger.spending = Spending(*snapshot["spending"])
        ledger.knowledge = Knowledge.from_json(snapshot["knowledge"])
        ledger.turn_of = array("L", chain.from_iterable(starmap(repeat, snapshot["calls"])))
        ledger.numbering = {element: (turn, n) for element, (turn, n) in snapshot["numbering"].items()}
        if snapshot["reply"] is not None:
            call, calls, pieces, started = snapshot["reply"]
            ledger.reply = OpenReply(call, calls, pieces, set(started))
        _lay_over(ledger, index, snapshot["elements"])
        total = int(snapshot["sum"], 16)
    except (KeyError, TypeError, ValueError, AttributeError):
        raise SnapshotError("damaged_snapshot", "the snapshot lacks what this version of dcc writes") from None
    if index.births != ledger.births:
        raise SnapshotError("damaged_snapshot", f"{index.births} of {ledger.births} slots are stored with the snapshot")
    return ledger, total


def _lay_over(ledger: Ledger, index: Index, elements: list[str]) -> None:
    """Give the ledger tables that read from the store."""
    ledger.slots = slots = StoredSlots(index)
    ledger.by_element = StoredElements(index, elements)
    ledger.result_of = stored_results(index)
    ledger.wires = StoredWires(index)
    ledger.newest = Reading(lambda place: index.newest(*place))
    ledger.touches = stored_touches(index, slots)
    for first in ledger.versions.of:
        ledger.versions.answer(slots[first])
