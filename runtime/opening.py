"""The opening of a turn: all that happens before its first request (kernel.md section 1, language.md 3 and 5).

In this order: the clock, labels, patches that land, open ends whose event has come, endings and their
collapse, the user's slot, what it recalls, what canon reminds of; last, which of the new slots have something that
governs their end.
Every step sees what the one before it did.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..compiler.program import Rule
from ..compiler.template import render_template
from ..grammar.ast import Bound
from .births import Births
from .kernel.content import Content, decode, text_of
from .kernel.records import QueueEntry
from .kernel.segments import still_open
from .kernel.slots import ENDING, PATCH, RECALL, USER, Slot
from .memory.surfacing.in_session import Coming, SessionCanon
from .memory.surfacing.wording import ELEMENT as CANON
from .patches.collapse import collapsed
from .patches.endings import ended_patches, is_ending
from .patches.landing import land, patch_rule
from .patches.rules import close_at, covering
from .recall.recall import Recall
from .recorder import Emit, Recorder
from .view.build import PURGED


class Opening:
    """Opens the next turn of a session."""

    def __init__(self, births: Births, recall: Recall, canon: SessionCanon | None, coming: Coming) -> None:
        self._canon = canon
        self._coming = coming
        self._births = births
        self._recall = recall
        self._program = births.program
        self._recorder: Recorder = births.recorder
        self._ledger = births.recorder.ledger
        self._born: list[str] = []

    def open(self, content: Content, labels: Mapping[str, Any] | None, at: float, *, typed: bool = True) -> Slot:
        """Emit the opening of the next turn; returns the user's slot.

        ``at`` is the wall time in seconds; ``typed``: the message is a person's.
        """
        recorder, ledger = self._recorder, self._ledger
        self._born.clear()
        with recorder.transaction("turn") as emit:
            emit("turn_begun", labels=dict(labels) if labels else None, at=at, **({} if typed else {"typed": False}))
            recorder.advance()
            self._follow_labels(emit)
            renewed = self._land(emit)
        ended: set[str] = set()
        while self._end_by_events() or self._end_patches(renewed, ended):
            pass
        with recorder.transaction("turn") as emit:
            user = self._bear(emit, "user", content, USER)
            if not _would_be_on(user):
                emit("notice", code="user_forced", message=(
                    f"{user.id} is on stage in its own turn although its rule says otherwise: "
                    "a request always holds the message it answers"
                ))  # fmt: skip
            recalled = self._recall.surface(content)
            if recalled is not None:
                self._bear(emit, "recall", recalled, RECALL)
            reminder = self._canon.reminder(emit, self._coming) if self._canon is not None else None
            if reminder is not None:
                self._bear(emit, CANON, reminder, RECALL, rule=_one_turn(ledger.turn))
            for slot in ledger.in_order(self._born):
                self._births.govern(emit, slot)
        return ledger.slots[user.id]

    def _bear(self, emit: Emit, element: str, content: Content, phase: int, **more: Any) -> Slot:
        ledger = self._ledger
        slot = self._births.bear(
            emit, element, content,
            turn=ledger.turn, phase=phase, shown_from=ledger.ordinal + 1, superseded_end=ledger.turn - 1,
            governed_later=True, **more,
        )  # fmt: skip
        self._born.append(slot.id)
        return slot

    # Labels (spec of the first system, section 11)

    def _follow_labels(self, emit: Emit) -> None:
        ledger = self._ledger
        turn = ledger.turn
        now, before = ledger.labels.get(turn, {}), ledger.labels.get(turn - 1, {})
        for slot in ledger.in_order(ledger.waiting.get("cycle", ())):
            if slot.turn == now.get("linked_trap"):
                last = len(slot.segments) - 1
                emit("segment_closed", cause="label", slot=slot.id, index=last, end=turn - 1, was=None)
        trap = before.get("linked_trap")
        if trap is not None and trap != now.get("linked_trap"):
            for slot in list(ledger.slots.values()):
                if slot.turn == trap and slot.rule.end.kind == "cycle" and slot.segments[-1].end == turn - 2:
                    emit("segment_opened", cause="label", slot=slot.id, start=turn, end=None)
        if before.get("type") in ("trap", "recall"):
            for slot in ledger.in_order(ledger.waiting.get("labelled", ())):
                if slot.turn == turn - 1:
                    emit("segment_closed", cause="label", slot=slot.id, index=0, end=turn - 1, was=None)

    # Patches

    def _land(self, emit: Emit) -> set[str]:
        landing = land(self._ledger.queue, self._ledger.turn)
        for patch in landing.superseded:
            emit("queue_dropped", cause="superseded", patch=patch.number)
            emit("notice", code="patch_superseded", message=f"a newer {patch.element} ends the older {patch.mode}")
        for patch in landing.landing:
            if patch.mode != "remain":
                self._end_active(emit, patch)
            self._end_ending(emit, patch.element)
            content = decode(self._recorder.content(bytes.fromhex(patch.digest)))
            rule = patch_rule(patch, self._ledger.turn, self._births.rule_of(patch.element))
            self._bear(emit, patch.element, content, PATCH, rule=rule)
        for patch in landing.spent:
            emit("queue_dropped", cause="landed", patch=patch.number)
        return {patch.element for patch in landing.landing}

    def _end_active(self, emit: Emit, patch: QueueEntry) -> None:
        """Roll and refresh first end what is active of their element."""
        self._end_element(emit, patch.element, "refresh" if patch.mode == "refresh" else "patch_end")

    def _end_ending(self, emit: Emit, element: str) -> None:
        self._end_element(emit, element + "_end", "patch_end")

    def _end_element(self, emit: Emit, element: str, cause: str) -> None:
        ledger, stage = self._ledger, self._recorder.stage
        left = stage.counts.get(element, 0)
        active: list[str] = []
        for slot_id in reversed(ledger.by_element.get(element, []) if left else []):
            if slot_id in stage.shown:
                active.append(slot_id)
                left -= 1
            if not left:
                break
        for slot_id in reversed(active):
            slot = ledger.slots[slot_id]
            at = covering(slot, ledger.turn)
            for kind, data in close_at(slot, at, ledger.turn - 1) if at is not None else ():
                emit(kind, cause=cause, **data)

    # Open ends

    def _end_by_events(self) -> bool:
        """End what waits for the end of an element that has no slot on stage; says whether anything ended."""
        ledger, counts = self._ledger, self._recorder.stage.counts
        over = ledger.in_order(
            slot_id
            for event, waiting in ledger.waiting.items()
            if event.startswith("end:") and not counts.get(event.removeprefix("end:"))
            for slot_id in waiting
            if ledger.slots[slot_id].turn < ledger.turn
        )
        if not over:
            return False
        with self._recorder.transaction("event_end") as emit:
            for slot in over:
                for index in still_open(slot.segments):
                    emit("segment_closed", slot=slot.id, index=index, end=ledger.turn - 1, was=None)
        return True

    # Endings and collapse

    def _end_patches(self, renewed: set[str], ended: set[str]) -> bool:
        """Bear the endings that are due, each followed by its collapse; says whether there was one."""
        template = self._program.ending_template
        if template is None:
            return False
        ledger, counts = self._ledger, self._recorder.stage.counts
        found = False
        patched = (element for element, ids in ledger.patches.items() if ids)
        for element in sorted(patched, key=lambda e: ledger.slots[ledger.by_element[e][0]].number):
            if element in ended or is_ending(element) or counts.get(element):
                continue
            if element in renewed or element + "_end" in renewed:
                continue
            slots = ended_patches(ledger, element, ledger.turn)
            if not slots:
                continue
            found = True
            ended.add(element)
            lines = [render_template(template, element, self._text(slot)) for slot in slots]
            with self._recorder.transaction("turn") as emit:
                ending = self._bear(emit, element + "_end", "\n".join(dict.fromkeys(lines)), ENDING,
                                    rule=_one_turn(ledger.turn))  # fmt: skip
            self._collapse(element, ending)
        return found

    def _text(self, slot: Slot) -> str:
        """What a patch said; of one whose content another session of the file deleted only that it was there."""
        return PURGED if slot.is_purged else text_of(decode(self._recorder.content(slot.digest)))

    def _collapse(self, element: str, ending: Slot) -> None:
        folds = self._program.folds
        if folds is None or element in folds:
            why = "no compact section names what it would fold" if folds is None else "it would fold its own element"
            with self._recorder.transaction("turn") as emit:
                emit("notice", code="no_collapse", message=f"{element} is over; nothing is collapsed: {why}")
            return
        slots = collapsed(self._ledger, element, folds, self._ledger.turn)
        if not slots:
            return
        shown = [s for s in slots if s.id in self._recorder.stage.shown]
        with self._recorder.transaction("collapse") as emit:
            for slot in slots:
                emit("hold_begun", slot=slot.id, name=f"collapse:{ending.id}", since=self._ledger.turn)
            if not shown:
                return
            number = self._ledger.transaction
            emit("notice", code="collapsed", message=(
                f"{element} is over: {len(shown)} slots ({sum(s.tokens for s in shown)} tokens) of the turns it "
                f"governed leave the stage; /cpat undo #{number} brings them back"
            ))  # fmt: skip


def _one_turn(turn: int) -> Rule:
    return Rule(Bound("turn", turn), Bound("turn", turn))


def _would_be_on(user: Slot) -> bool:
    start, end = user.segments[0]
    return start <= user.turn and (end is None or end < 0 or end >= user.turn)
