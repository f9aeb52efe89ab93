"""Why a slot is where it is: the events that touched it, read from the ledger."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from typing import Any, NamedTuple

from ..compiler.program import Program
from .kernel.content import decode, text_of
from .kernel.events import Event
from .kernel.ledger import Ledger
from .kernel.places import show_place
from .kernel.slots import Slot
from .recorder import Recorder
from .view.build import PURGED
from .waiting import story_of

#: What is told first of what happened between two calls: the birth, then what made the rest happen.
_RANKS = {"slot_born": 0, "ripe": 1, "not_ripe": 1}

#: What happens to a tool call and takes its result off stage with it, or brings both back.
_SHARED = frozenset(
    {
        "segment_closed", "segment_opened", "segment_removed", "hold_begun", "hold_lifted", "cancelled",
        "uncancelled", "rule",
    }
)  # fmt: skip


class Cause(NamedTuple):
    """One thing that happened to a slot: at which turn and after how many calls, in which transaction, why."""

    turn: int
    ordinal: int
    transaction: int
    kind: str
    cause: str
    text: str

    @property
    def origin(self) -> str:
        """What brought it about, in words: a transaction by its number, or the slot's own rule."""
        return f"{self.cause}, transaction #{self.transaction}" if self.transaction else self.cause


def causes_of(recorder: Recorder, program: Program, slot_id: str, turn: int | None) -> list[Cause]:
    """What happened to a slot up to a turn, in order: its events, what its retirement waited for, its rule's end.

    A result leaves with its call, so what took that off stage is among its causes.
    """
    ledger = recorder.ledger
    slot = ledger.slots[slot_id]
    call = slot.link.answers if slot.link is not None else None
    found: list[Cause] = []
    line = ""
    for event in recorder.events(0):
        subject = event.data.get("slot")
        if event.kind == "purged" and slot_id in (*event.data["slots"], *event.data.get("notes", ())):
            subject = slot_id
        if event.kind == "queued" and slot.is_patch and event.data["patch"][1] == slot.element:
            line = _line_of(event.data["patch"], slot, recorder) or line
        if subject == slot_id or (call is not None and subject == call and event.kind in _SHARED):
            found.append(
                Cause(event.turn, event.ordinal, event.transaction, event.kind, event.cause, _say(event, slot_id))
            )
        if subject == slot_id and event.kind == "slot_born":
            found[-1] = found[-1]._replace(text=found[-1].text + (line or _rule_place(slot, program)))
    for moment in story_of(ledger, program, slot_id):
        text = f"from {show_place(-moment.ordinal)} on {moment.text}"
        kind = "ripe" if moment.ripe else "not_ripe"
        found.append(Cause(moment.turn, moment.ordinal - 1, 0, kind, "rule", text))
    found += _ends(ledger, slot, "")
    if call is not None:
        found += _ends(ledger, ledger.slots[call], f"its call {call}: ")
    found.sort(key=lambda cause: (cause.turn, cause.ordinal, _RANKS.get(cause.kind, 2)))
    return [cause for cause in found if turn is None or cause.turn <= turn]


def _line_of(patch: list[Any], slot: Slot, recorder: Recorder) -> str | None:
    """The chat line of a queued patch, if it is the one that bore the slot."""
    _, element, digest, mode, turns, _ = patch
    if bytes.fromhex(digest) != slot.digest:
        return None
    content = PURGED if slot.is_purged else text_of(decode(recorder.content(slot.digest)))
    return f", by the line `/{element} {content} {mode} {'none' if turns is None else turns}`"


def _rule_place(slot: Slot, program: Program) -> str:
    """Where the rule stands that the slot copied, when the ruleset writes one."""
    place = program.places.get(slot.row_name)
    return f", by the rule in {place}" if place is not None and not slot.is_patch else ""


def _ends(ledger: Ledger, slot: Slot, prefix: str) -> Iterator[Cause]:
    """The turns at which the clock alone took a slot off stage."""
    for start, end in slot.segments:
        if end is not None and 0 <= end < ledger.turn and start <= end:
            calls = bisect_right(ledger.turn_of, end)
            cause = "patch_end" if slot.is_patch else "turn_end"
            yield Cause(end + 1, calls, 0, "rule", cause, f"{prefix}its rule ended with turn {end}")


def _say(event: Event, slot_id: str) -> str:
    """An event in words; one of the slot's call says whose it is."""
    subject = event.data.get("slot", slot_id)
    if slot_id in event.data.get("notes", ()):
        return f"its note was deleted; rendered without it from {show_place(event.data['since'])}"
    return _words(event) if subject == slot_id else f"its call {subject}: {_words(event)}"


def _words(event: Event) -> str:
    data = event.data
    match event.kind:
        case "slot_born":
            (start, end), *_ = data["segments"]
            place = f" in the place of {data['replaces']}" if "replaces" in data else ""
            return f"born at turn {data['at'][0]}{place}, on stage from {show_place(start)} {_until(end)}"
        case "segment_closed":
            return f"its segment ends at {show_place(data['end'])}" if data["end"] is not None else "open again"
        case "segment_opened":
            return f"on stage again from {show_place(data['start'])} {_until(data['end'])}"
        case "segment_removed":
            return "a segment that no call had used is gone"
        case "hold_begun":
            return f"held off stage by {data['name']} from {show_place(data['since'])}"
        case "hold_lifted":
            return f"the hold {data['name']} is lifted from {show_place(data['until'])}"
        case "represented":
            return f"rendered as {data['how']} (was {data['was']}) from {show_place(data['since'])}"
        case "kept":
            return f"kept from {show_place(data['since'])}"
        case "unkept":
            return f"given back to its rule from {show_place(data['until'])}"
        case "cancelled":
            return f"cancelled from {show_place(data['since'])}"
        case "uncancelled":
            return f"the cancel is taken back from {show_place(data['until'])}"
        case "purged":
            return f"its content was deleted; off stage for good from {show_place(data['since'])}"
        case "rule_copied":
            return "a new rule reached it"
        case _:
            return event.kind.replace("_", " ")


def _until(end: int | None) -> str:
    return "without end" if end is None else f"to {show_place(end)}"
