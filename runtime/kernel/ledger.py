"""The ledger's state: the fold of its events, and nothing else (kernel.md section 3).

``Ledger.apply`` takes one event. What is on stage at a moment is derived from this state (law.py, stage.py);
the ledger itself only knows what happened. A journal of inverse steps lets a turn whose first call failed be
taken back, as if it had not begun.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from .birth import slot_from_data
from .changes import changed, purged, without_notes
from .events import ASIDE, UNDOABLE, Event, check_format, rule_from_text
from .records import OpenReply, QueueEntry, Transaction
from .segments import SegmentError, check_segments, still_open
from .slots import PATCH, Slot
from .state import State


class Ledger(State):
    """State folded from events. Change it only by :meth:`apply`."""

    # Folding

    def apply(self, event: Event) -> None:
        """Fold one event into the state."""
        seq, _, ordinal, transaction, kind, cause, _ = event
        _APPLY[kind](self, event)
        self.seq = seq
        if transaction > self.transaction:
            self.transaction = transaction
        if cause in UNDOABLE and kind not in ASIDE:
            self._remember(event)
            if cause == "settle" and self.settled != ordinal:
                self._inverse(partial(setattr, self, "settled", self.settled))
                self.settled = ordinal

    def _remember(self, event: Event) -> None:
        history, is_final = self.history, event.kind == "purged"
        if history and history[-1].number == event.transaction:
            last = history[-1]
            history[-1] = replace(last, last=event.seq, is_final=last.is_final or is_final)
        else:
            history.append(Transaction(event.transaction, event.cause, event.seq, event.seq, is_final))
            self._inverse(history.pop)

    def _inverse(self, step: Callable[[], Any]) -> None:
        if self.journal is not None:
            self.journal.append(step)

    def _put(self, slot: Slot) -> None:
        """Replace a slot by its next value."""
        old = self.slots[slot.id]
        self.watch(slot.id, old)
        self.slots[slot.id] = slot
        self.touched.append(slot.id)
        if slot.is_patch and slot.id not in (known := self.patches.setdefault(slot.element, [])):
            known.append(slot.id)
            self._inverse(partial(known.remove, slot.id))
        if self.journal is not None:
            self.journal.append(lambda: self._restore(old))

    def _restore(self, slot: Slot) -> None:
        self.watch(slot.id, self.slots[slot.id])
        self.slots[slot.id] = slot
        self.touched.append(slot.id)

    def _born(self, event: Event) -> None:
        slot = slot_from_data(event.data)
        slot_id, element, turn, segments, link = slot.id, slot.element, slot.turn, slot.segments, slot.link
        if slot_id in self.slots:
            raise SegmentError("duplicate_slot", f"{slot_id} is born already")
        check_segments(segments, turn)
        self.watch(slot_id, None)
        self.slots[slot_id] = slot
        self.touched.append(slot_id)
        self._regain(event.data["digest"])
        self.by_element.add(element, slot_id)
        self.births = slot.number
        last_turn, n = self.numbering.get(element, (-1, 0))
        if turn >= last_turn:
            self.numbering[element] = (turn, n + 1 if last_turn == turn else 1)
        if slot.phase == PATCH and turn > 0:
            self.patches.setdefault(element, []).append(slot_id)
        if link is not None:
            if link.answers is not None:
                self.result_of[link.answers] = slot_id
            elif link.wire:
                self.wires.add(link.wire)
        if segments[-1].end is None and slot.rule.end.is_event:
            self._wait(slot)
        if element.startswith("pin_"):
            self._count_pin(element)
        if slot.replaces is None:
            self._touch(slot)
        else:
            self.versions.born(slot)
            self.touched.append(slot.replaces)
        if self.journal is not None:
            self.journal.append(lambda: self._unborn(slot, last_turn, n))

    def _unborn(self, slot: Slot, last_turn: int, n: int) -> None:
        self.watch(slot.id, self.slots[slot.id])
        del self.slots[slot.id]
        self.touched.append(slot.id)
        self.by_element.take_back(slot.element)
        self.births = slot.number - 1
        self.numbering[slot.element] = (last_turn, n)
        if slot.id in self.patches.get(slot.element, ()):
            self.patches[slot.element].remove(slot.id)
        if slot.replaces is not None:
            self.versions.unborn(slot)
        elif slot.link is not None:
            if slot.link.answers is not None:
                del self.result_of[slot.link.answers]
            self.wires.discard(slot.link.wire)

    def _touch(self, slot: Slot) -> None:
        """Note a birth in the key table, and which slot of its row and key it makes old."""
        key = slot.link.key if slot.link is not None else None
        place = (slot.row_name, key)
        older = self.newest.get(place)
        self.newest[place] = slot.id
        if older is not None:
            self.outdated.append(older)
            self.outdated += self.versions.of.get(older, ())
        if self.journal is not None:
            self.journal.append(lambda: self._untouch(place, older))
        if key is not None:
            self.touches[key] = (slot.turn, slot.shown_from - 1)

    def _untouch(self, place: tuple[str, str | None], older: str | None) -> None:
        del self.newest[place]
        if older is not None:
            self.newest[place] = older

    def _count_pin(self, element: str) -> None:
        _, _, number = element.rpartition("_p")
        if number.isdecimal():
            self._inverse(partial(setattr, self, "last_pin", self.last_pin))
            self.last_pin = max(self.last_pin, int(number))

    def _wait(self, slot: Slot) -> None:
        """File an open slot under the event that ends it."""
        waiting = self.waiting.setdefault(slot.waits_for, {})
        if slot.id not in waiting:
            waiting[slot.id] = None
            self._inverse(lambda: waiting.pop(slot.id, None))

    def _unwait(self, slot_id: str) -> None:
        for waiting in self.waiting.values():
            if slot_id in waiting:
                del waiting[slot_id]
                self._inverse(partial(waiting.__setitem__, slot_id, None))
                return

    def _changed(self, event: Event) -> Slot:
        slot = changed(self.slots[event.data["slot"]], event)
        self._put(slot)
        return slot

    def _opened(self, event: Event) -> None:
        slot = self._changed(event)
        if event.data["end"] is None and slot.rule.end.is_event:
            self._wait(slot)

    def _closed(self, event: Event) -> None:
        slot = self._changed(event)
        if event.data["end"] is not None and not still_open(slot.segments):
            self._unwait(slot.id)
        elif event.data["end"] is None and slot.rule.end.is_event:
            self._wait(slot)

    def _removed(self, event: Event) -> None:
        slot = self._changed(event)
        if not still_open(slot.segments):
            self._unwait(slot.id)

    def _marked(self, event: Event) -> None:
        self._changed(event)

    def _hold_begun(self, event: Event) -> None:
        slot = self._changed(event)
        if slot.replaces is not None and slot.is_undone:
            self.versions.answer(slot)
            self.touched.append(self.versions.current(slot).id)
            self._inverse(lambda: self.versions.answer(slot))

    def _regain(self, digest: str) -> None:
        """A content is named by an event: if it was purged before, it is there again, and may be purged again."""
        if digest in self.purged:
            self.purged.discard(digest)
            self._inverse(partial(self.purged.add, digest))

    def _purged(self, event: Event) -> None:
        new = set(event.data["digests"]) - self.purged
        self.purged |= new
        self._inverse(lambda: self.purged.difference_update(new))
        for slot_id in event.data["slots"]:
            self._put(purged(self.slots[slot_id], event.data["since"]))
        for slot_id in event.data.get("notes", ()):
            self._put(without_notes(self.slots[slot_id], event.data["digests"], event.data["since"]))

    def _governed(self, event: Event) -> None:
        self._inverse(partial(setattr, self, "governed", self.governed))
        self.governed = event.data["on"]

    def _calibrated(self, event: Event) -> None:
        self._inverse(partial(setattr, self, "calibration", self.calibration))
        self.calibration = event.data["state"]

    def _operated(self, event: Event) -> None:
        key = event.data["key"]
        if key is not None:
            self._inverse(partial(self.keys.pop, key, None))
            self.keys[key] = event.seq

    def _rule_changed(self, event: Event) -> None:
        element = event.data["element"]
        old = self.rules.get(element)
        new = event.data["rule"]
        if new is None:
            self.rules.pop(element, None)
        else:
            self.rules[element] = rule_from_text(new)
        if old is not None:
            self._inverse(lambda: self.rules.__setitem__(element, old))
        else:
            self._inverse(lambda: self.rules.pop(element, None))

    def _rule_copied(self, event: Event) -> None:
        self._unwait(event.data["slot"])
        slot = self._changed(event)
        if slot.rule.end.is_event and still_open(slot.segments):
            self._wait(slot)

    def _queued(self, event: Event) -> None:
        entry = QueueEntry(*event.data["patch"])
        self._regain(entry.digest)
        # One that an undo brings back stands where it stood.
        insort(self.queue, entry, key=_number)
        self._inverse(partial(self.queue.remove, entry))

    def _queue_dropped(self, event: Event) -> None:
        number = event.data["patch"]
        for i, patch in enumerate(self.queue):
            if patch.number == number:
                del self.queue[i]
                self._inverse(partial(self.queue.insert, i, patch))
                return

    def _turn_begun(self, event: Event) -> None:
        self._inverse(partial(setattr, self, "call", self.call))
        self.turn += 1
        self.call = 0
        self.is_open = True
        if event.data.get("labels"):
            self.labels[self.turn] = event.data["labels"]
        if event.data.get("typed", True):
            self._inverse(partial(setattr, self, "asked", self.asked))
            self.asked = self.turn
        self._inverse(self._unbegin)

    def _unbegin(self) -> None:
        self.labels.pop(self.turn, None)
        self.turn -= 1
        self.is_open = False

    def _reply(self, event: Event) -> None:
        self.reply = OpenReply(event.data["call"], dict(event.data["calls"]), event.data["pieces"], set())
        self._inverse(partial(setattr, self, "spending", self.spending))
        self.spending = self.spending.and_reply(event.data["usage"])

    def _summarised(self, event: Event) -> None:
        self._inverse(partial(setattr, self, "spending", self.spending))
        self.spending = self.spending.and_summaries(event.data["usage"])

    def _tool_started(self, event: Event) -> None:
        if self.reply is not None:
            self.reply.started.add(event.data["slot"])

    def _call_completed(self, event: Event) -> None:
        self.reply = None
        self.call += 1
        self.ordinal += 1
        self.turn_of.append(self.turn)

    def _turn_closed(self, event: Event) -> None:
        self.is_open = False
        self.reply = None
        for element, ids in list(self.patches.items()):
            left = [i for i in ids if _may_return(self.slots[i], self.turn)]
            if left:
                self.patches[element] = left
            else:
                del self.patches[element]

    def _session(self, event: Event) -> None:
        check_format(event.data["format"])
        self.folder = event.data["folder"]

    def _undone(self, event: Event) -> None:
        numbers = event.data["transactions"]
        self.undone.update(numbers)
        self._inverse(lambda: self.undone.difference_update(numbers))
        self._inverse(partial(setattr, self, "last_undo", self.last_undo))
        self.last_undo = Transaction(event.transaction, event.cause, event.seq, event.seq)

    def _compaction_asked(self, event: Event) -> None:
        self._inverse(partial(setattr, self, "compacting", self.compacting))
        self.compacting = replace(self.compacting, asked=event.data["turn"])

    def _compaction_passed(self, event: Event) -> None:
        now = self.compacting
        self._inverse(partial(setattr, self, "compacting", now))
        idle = 0 if event.data["gained"] else now.idle + 1
        self.compacting = replace(now, idle=idle, tokens=event.data["tokens"] if idle else 0)

    def _canon(self, event: Event) -> None:
        self._inverse(partial(setattr, self, "knowledge", self.knowledge))
        self.knowledge = self.knowledge.after(event.data, event.transaction)

    def _fact(self, event: Event) -> None:
        """An event that people read and no state depends on (break, notice)."""


def _number(patch: QueueEntry) -> int:
    return patch.number


def _may_return(slot: Slot, turn: int) -> bool:
    """Whether a patch slot still has, or has just had in ``turn``, a turn of its own."""
    return any(end is None or end < 0 or end >= turn for _, end in slot.segments)


_APPLY: dict[str, Callable[[Ledger, Event], None]] = {
    "session": Ledger._session,
    "queued": Ledger._queued,
    "queue_dropped": Ledger._queue_dropped,
    "turn_begun": Ledger._turn_begun,
    "slot_born": Ledger._born,
    "segment_opened": Ledger._opened,
    "segment_closed": Ledger._closed,
    "segment_removed": Ledger._removed,
    "hold_begun": Ledger._hold_begun,
    "hold_lifted": Ledger._marked,
    "represented": Ledger._marked,
    "kept": Ledger._marked,
    "unkept": Ledger._marked,
    "cancelled": Ledger._marked,
    "uncancelled": Ledger._marked,
    "rule_changed": Ledger._rule_changed,
    "rule_copied": Ledger._rule_copied,
    "purged": Ledger._purged,
    "reply": Ledger._reply,
    "summarised": Ledger._summarised,
    "tool_started": Ledger._tool_started,
    "call_completed": Ledger._call_completed,
    "turn_interrupted": Ledger._turn_closed,
    "turn_committed": Ledger._turn_closed,
    "undone": Ledger._undone,
    "compaction_asked": Ledger._compaction_asked,
    "compaction_passed": Ledger._compaction_passed,
    "governed": Ledger._governed,
    "calibrated": Ledger._calibrated,
    "operated": Ledger._operated,
    "canon": Ledger._canon,
    "break": Ledger._fact,
    "notice": Ledger._fact,
}
