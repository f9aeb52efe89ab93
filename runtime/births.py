"""Births in a session: every way in which content becomes a slot, as emitted events."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from ..compiler.program import ElementRow, Program, Rule
from .kernel.bear import bear, governed
from .kernel.birth import slot_to_data
from .kernel.content import Content
from .kernel.events import rule_to_text
from .kernel.keys import key_value
from .kernel.places import Place, at_call
from .kernel.refine import refine
from .kernel.retirement import retires_the_old
from .kernel.segments import still_open
from .kernel.slots import NO_MARKS, PATCH, Link, Slot
from .kernel.tokens import count_tokens
from .recorder import Emit, Recorder


class ToolFacts(NamedTuple):
    """What a refinement or a key may ask of a slot in a chain: its tool, the call's arguments, an error."""

    tool: str
    args: Mapping[str, Any]
    is_error: bool = False


class Births:
    """Bears slots under a program, through a recorder."""

    def __init__(self, recorder: Recorder, program: Program) -> None:
        self.recorder = recorder
        self.program = program
        self._refinements = tuple(row for row in program.elements.values() if row.of is not None)

    def rule_of(self, element: str) -> Rule:
        """The rule that a slot of the element born now copies: the last rule patch, else the ruleset's."""
        return self.recorder.ledger.rules.get(element) or self.program.row(element).rule

    def bear(
        self,
        emit: Emit,
        element: str,
        content: Content,
        *,
        turn: int = 0,
        phase: int = PATCH,
        call: int = 0,
        seq: int = 0,
        shown_from: int,
        superseded_end: Place,
        link: Link | None = None,
        facts: ToolFacts | None = None,
        rule: Rule | None = None,
        visible_from: Place | None = None,
        compact_range: tuple[int, int] | None = None,
        at: Slot | None = None,
        replaces: Slot | None = None,
        cause: str = "born",
        governed_later: bool = False,
    ) -> Slot:
        """Bear one slot, and end what it supersedes at ``superseded_end`` (read as an end).

        ``at``: a slot whose position it takes, with a number of its own, instead of ``turn``, ``phase``, ``call`` and
        ``seq``, from the request ``shown_from`` on. ``replaces``: the slot in whose place it is, with the rest of its
        life, its link and its position; it supersedes nothing (see :meth:`replace`).

        ``cause``: of the birth, where undo can take it back with its transaction. ``governed_later``: the slots that
        may govern its end are not all there yet; the caller asks :meth:`govern` when they are.
        """
        recorder, ledger = self.recorder, self.recorder.ledger
        place = replaces or at
        if place is not None:
            turn, phase, call, seq = place.position[:4]
            visible_from = at_call(shown_from) if visible_from is None else visible_from
        content = recorder.mask(content)
        tokens = count_tokens(content)
        row = self.program.row(element)
        if facts is not None and link is not None:
            row = self._refined(element, facts, tokens) or row
            link = link._replace(key=key_value(row.key, facts.args, ledger.folder))
        declared = rule or (row.rule if row.of is not None else self.rule_of(element))
        own = declared if governed_later or replaces is not None else self._governed(declared)
        slot, problem = bear(
            ledger, element, own, recorder.keep_content(content), tokens, row,
            turn=turn, phase=phase, call=call, seq=seq, shown_from=shown_from, link=link,
            visible_from=visible_from, compact_range=compact_range, replaces=replaces,
        )  # fmt: skip
        supersedes = replaces is None and not retires_the_old(row)
        waiting = ledger.waiting.get(f"superseded:{row.name}", ()) if supersedes else ()
        older = ledger.in_order(waiting)
        emit("slot_born", cause=cause, **slot_to_data(slot))
        for old in older:
            self._supersede(emit, old, superseded_end)
        if own is not declared:
            _tell_ungoverned(emit, slot, declared)
        if problem is not None:
            emit("notice", code=problem, message=f"{slot.id} is never on stage: its rule ends before it starts")
        return slot

    def replace(self, emit: Emit, old: Slot, content: Content) -> Slot:
        """Bear a slot in the place of another from the next request on, in an open transaction; ``old`` is hidden.

        What holds or keeps the old one does so with the new one; its representation is full. The transaction's cause
        is one that can be undone.
        """
        last = self.recorder.last_request
        since = -(last + 1)
        new = self.bear(
            emit, old.element, content, shown_from=last + 1, superseded_end=-last, replaces=old, cause="op",
        )  # fmt: skip
        marks = old.marks or NO_MARKS
        for hold in marks.holds:
            if hold.until is None:
                emit("hold_begun", slot=new.id, name=hold.name, since=since)
        if any(keep.until is None for keep in marks.keeps):
            emit("unkept", slot=old.id, until=since)
            emit("kept", slot=new.id, since=since)
        emit("hold_begun", slot=old.id, name=f"op:{self.recorder.ledger.transaction}:hidden", since=since)
        return new

    def govern(self, emit: Emit, slot: Slot) -> None:
        """Leave a slot without an end if no slot that would govern its end is on stage."""
        own = self._governed(slot.rule)
        if own is not slot.rule:
            emit("rule_copied", slot=slot.id, rule=rule_to_text(own), was=rule_to_text(slot.rule))
            _tell_ungoverned(emit, slot, slot.rule)

    def _governed(self, rule: Rule) -> Rule:
        return governed(rule, self.recorder.stage.counts.get(rule.end.element or "", 0) > 0)

    def _refined(self, element: str, facts: ToolFacts, tokens: int) -> ElementRow | None:
        if not self._refinements:
            return None
        return refine(
            self._refinements, element, tool=facts.tool, args=facts.args, is_error=facts.is_error, tokens=tokens
        )

    def _supersede(self, emit: Emit, old: Slot, end: Place) -> None:
        """A result that no request has held yet leaves after the first one that does."""
        if old.is_result and old.shown_from > self.recorder.ledger.ordinal:
            end = -old.shown_from
        for index in still_open(old.segments):
            emit("segment_closed", cause="event_end", slot=old.id, index=index, end=end, was=None)


def _tell_ungoverned(emit: Emit, slot: Slot, declared: Rule) -> None:
    governor = declared.end.element
    emit("notice", code="ungoverned", message=(
        f"{slot.id} waits for the end of {governor}, but no {governor} slot is on stage: it has no end"
    ))  # fmt: skip
