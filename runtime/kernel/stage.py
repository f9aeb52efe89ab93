"""The stage: which slots the next request holds, kept up to date slot by slot.

A **unit** is what is rendered as a whole: one model reply with the results of its calls, or one lone slot.
Units are sorted by position. Advancing the clock looks only at slots for which the timeline has a hint, so a
call costs what changes at it, never what the history holds.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from .law import on_stage, shape_at, turning_places
from .ledger import Ledger
from .places import Place, begun
from .retirement import Retirement
from .segments import SegmentError
from .slots import CALL, Position, Representation, Shape, Slot

#: Causes that say nothing of why a slot changes: the stage is made anew, or goes back.
_RETURNS = frozenset({"resume", "rollback"})


def unit_key(slot: Slot) -> Position:
    """The position of the unit that a slot is rendered in."""
    if slot.is_reply or slot.is_result:
        return (slot.turn, CALL, slot.call, -1, -1)
    return slot.position


class Presence(NamedTuple):
    """A slot on stage: the unit it is rendered in, its element, and its representation with what belongs to it."""

    key: Position
    element: str
    shape: Shape

    @property
    def how(self) -> Representation:
        """The representation."""
        return self.shape.how


class Flip(NamedTuple):
    """A change of stage or representation: from which place on, before and after (None: off stage), why."""

    slot: str
    at: Place
    before: Representation | None
    after: Representation | None
    cause: str


class Stage:
    """What is on stage at a moment: (turn, ordinal of the next request)."""

    def __init__(self, ledger: Ledger, retirement: Retirement, causes: Mapping[str, str] | None = None) -> None:
        """``causes``: of what happened to slots since the last request that has its reply."""
        self.ledger = ledger
        self.retirement = retirement
        # As at the last request that has its reply: what differs since then is a change, with a cause.
        self.ordinal = ledger.ordinal + (ledger.reply is not None)
        self.turn = ledger.turn_of_ordinal(self.ordinal)
        self.shown: dict[str, Presence] = {}
        self.keys: list[Position] = []
        self.units: dict[Position, list[str]] = {}
        self.counts: dict[str, int] = {}
        self.dirty: dict[Position, str] = {}
        self.flips: list[Flip] = []
        self.place: Place = -self.ordinal
        self._hints: dict[Place, list[str]] = {}
        self._awaited: dict[str, str] = {}
        near = ledger.slots.at_hand(self.turn, self.ordinal)
        self.refresh((slot.id for slot in near if not _is_past(slot, self.turn)), "resume")
        self.dirty.clear()
        for slot_id, cause in (causes or {}).items():
            changed = ledger.slots.get(slot_id)
            if changed is not None and -(self.ordinal + 1) in turning_places(changed):
                self._awaited[slot_id] = cause
        self.move(ledger.turn, ledger.ordinal + 1)
        self.flips.clear()

    def refresh(self, slot_ids: Iterable[str], cause: str) -> None:
        """Ask the law again for slots that an event touched; what changed is noted with the cause."""
        for slot_id in slot_ids:
            slot = self.ledger.slots.get(slot_id)
            if slot is not None:
                for place in turning_places(slot):
                    if not begun(place, self.turn, self.ordinal):
                        self._hints.setdefault(place, []).append(slot_id)
                        if place == -(self.ordinal + 1) and cause not in _RETURNS:
                            self._awaited[slot_id] = cause
                if slot_id in self.shown:
                    self.retirement.watch(slot, self.turn, self.ordinal)
            self._look(slot_id, slot, cause)

    def move(self, turn: int, ordinal: int) -> list[str]:
        """Go to a later moment; returns the slots that the timeline said to look at.

        Raises SegmentError (``turn_backwards``): the past is asked of projection.py, the stage never goes back.
        """
        if (turn, ordinal) < (self.turn, self.ordinal):
            raise SegmentError("turn_backwards", f"the stage is at turn {self.turn}, not before turn {turn + 1}")
        due: list[str] = []
        if turn != self.turn:
            due += self._hints.pop(turn, ())
        causes: dict[str, str] = {}
        if ordinal != self.ordinal:
            due += self._hints.pop(-ordinal, ())
            causes, self._awaited = self._awaited, {}
        self.place = turn if turn != self.turn else -ordinal
        self.turn, self.ordinal = turn, ordinal
        self.retirement.advance(turn, ordinal)
        for slot_id in due:
            slot = self.ledger.slots.get(slot_id)
            cause = causes.get(slot_id) or _cause_of_time(slot, ordinal, leaves=slot_id in self.shown)
            self._look(slot_id, slot, cause)
        return due

    def move_back(self, turn: int, due: list[str]) -> None:
        """Take back a move to a new turn, with the hints that it used up."""
        # First what is no more: its place among the slots of its unit cannot be told from the ledger.
        for slot_id in self.ledger.touched:
            if slot_id not in self.ledger.slots:
                self.retirement.forget(slot_id)
                self._look(slot_id, None, "rollback")
        self._hints.setdefault(self.turn, []).extend(due)
        self.turn, self.place = turn, -self.ordinal
        for slot_id in due:
            self._look(slot_id, self.ledger.slots.get(slot_id), "rollback")

    def coming(self) -> list[str]:
        """The slots that the clock may bring, take or change with the request after the next one."""
        return list(dict.fromkeys(i for i in self._hints.get(-self.ordinal - 1, ()) if i in self.ledger.slots))

    def is_full(self, slot_id: str) -> bool:
        """Whether a slot is on stage and full."""
        presence = self.shown.get(slot_id)
        return presence is not None and presence.how == "full"

    def due(self) -> list[Slot]:
        """The slots that are due at this moment, by position."""
        return self.retirement.due(self.turn, self.ordinal, self._is_standing)

    def _is_standing(self, slot_id: str) -> bool:
        """Whether there is something to retire: a slot on stage, and full if its row would only reduce it."""
        slot = self.ledger.slots.get(slot_id)
        if slot is None or slot_id not in self.shown:
            return False
        return self.is_full(slot_id) or self.retirement.drops(slot)

    def results_on(self, key: Position) -> Iterator[str]:
        """The results on stage of a reply unit, in the order of its calls."""
        for slot_id in self.units[key]:
            result = self.ledger.result_at(slot_id, self.turn, self.ordinal)
            if result is not None and result.id in self.shown:
                yield result.id

    def leaving(self, turn: int) -> Iterator[str]:
        """The slots on stage that the clock takes off when ``turn`` begins."""
        for slot_id in self._hints.get(turn, ()):
            if slot_id in self.shown and not on_stage(self.ledger.slots[slot_id], turn, self.ordinal):
                yield slot_id

    def slots_on(self) -> Iterator[str]:
        """The ids on stage, in the order of the request."""
        for key in self.keys:
            yield from self.units[key]
            if key[1] == CALL:
                yield from self.results_on(key)

    def _look(self, slot_id: str, slot: Slot | None, cause: str) -> None:
        before = self.shown.get(slot_id)
        now = self._law(slot) if slot is not None else None
        if before is not None and now is not None and _look_alike(before.shape, now):
            return
        if before is None and now is None:
            self._look_at_stub(slot, cause)
            return
        if slot is not None and now is not None:
            shown = Presence(unit_key(slot), slot.element, now)
            self.shown[slot_id] = shown
            if before is None:
                self._enter(slot_id, slot, shown)
            self.retirement.watch(slot, self.turn, self.ordinal)
            self.dirty[shown.key] = cause
        elif before is not None:
            del self.shown[slot_id]
            self._leave(slot_id, before)
            self.dirty[before.key] = cause
        self.flips.append(
            Flip(slot_id, self.place, before.how if before else None, now.how if now else None, cause)
        )
        result = self.ledger.result_at(slot_id, self.turn, self.ordinal)
        if result is not None:
            self._look(result.id, result, cause)

    def _look_at_stub(self, slot: Slot | None, cause: str) -> None:
        """A result off stage is still a stub beside its call when its content was replaced, deleted or brought back."""
        if slot is None or slot.link is None:
            return
        if not (slot.is_purged or slot.replaces is not None or cause == "rollback"):
            return
        call = self.shown.get(slot.link.answers or "")
        if call is not None:
            self.dirty[call.key] = cause

    def _law(self, slot: Slot) -> Shape | None:
        if not on_stage(slot, self.turn, self.ordinal):
            return None
        if slot.link is not None and slot.link.answers is not None and not self._answers(slot, slot.link.answers):
            return None
        return shape_at(slot, self.turn, self.ordinal)

    def _answers(self, slot: Slot, call: str) -> bool:
        """Whether a result's call is on stage, and no other version of the result in its place."""
        return call in self.shown and self.ledger.versions.at(slot, self.turn, self.ordinal).id == slot.id

    def _enter(self, slot_id: str, slot: Slot, shown: Presence) -> None:
        self.counts[shown.element] = self.counts.get(shown.element, 0) + 1
        if slot.is_result:
            return
        unit = self.units.get(shown.key)
        if unit is None:
            insort(self.keys, shown.key)
            self.units[shown.key] = [slot_id]
        else:
            insort(unit, slot_id, key=lambda i: self.ledger.slots[i].position)

    def _leave(self, slot_id: str, shown: Presence) -> None:
        self.counts[shown.element] -= 1
        unit = self.units.get(shown.key)
        if unit is None or slot_id not in unit:
            return
        unit.remove(slot_id)
        if not unit:
            del self.units[shown.key]
            del self.keys[bisect_left(self.keys, shown.key)]


def _look_alike(a: Shape, b: Shape) -> bool:
    """Whether two shapes are rendered the same, whenever each began."""
    return a._replace(since=0, lost=None) == b._replace(since=0, lost=None)


def _is_past(slot: Slot, turn: int) -> bool:
    """Whether a slot can be passed over when a stage is built: its one segment ended with an earlier turn."""
    end = slot.segments[-1].end
    return slot.marks is None and end is not None and 0 <= end < turn and len(slot.segments) == 1 and slot.turn < turn


def _cause_of_time(slot: Slot | None, ordinal: int, *, leaves: bool) -> str:
    """Why the clock alone changes a slot's stage: it is new, a hold begins, a newer slot or its turns ended it."""
    if slot is None or (slot.shown_from == ordinal and not leaves):
        return "op" if slot is not None and slot.replaces is not None else "born"
    for hold in slot.marks.holds if slot.marks is not None else ():
        if -ordinal in (hold.since, hold.until):
            return hold.name.partition(":")[0]
    if slot.rule.end.kind == "until_superseded" and slot.segments[-1].end is not None:
        return "event_end"
    return "patch_end" if slot.is_patch else "turn_end"
