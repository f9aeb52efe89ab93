"""Controls: what a person or a host does to slots and rules outside the model's turn.

Each is one transaction, checked first: an error changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..compiler.program import Program, Rule
from ..grammar.ast import Bound
from ..grammar.bounds import parse_bound
from ..grammar.errors import GrammarError
from ..grammar.patches import make_patch
from .births import Births
from .errors import SessionError
from .kernel.content import Content, decode, text_of
from .kernel.events import UNDOABLE, Event
from .kernel.law import in_force
from .kernel.ledger import Ledger, Transaction
from .kernel.segments import SegmentError, declared_end
from .kernel.slots import BETWEEN, CALL, Representation, Slot
from .kernel.undo import inverse
from .patches.rules import close_at, covering, rule_patch, slot_patch
from .recorder import Emit, Recorder

#: Seq of what is born after the results of a call, in an open turn.
_AFTER_RESULTS = 1_000_000


class Controls:
    """Keeps, pins, closes, patches rules, undoes: the acts of ``do`` steps and commands."""

    def __init__(self, recorder: Recorder, births: Births, program: Program) -> None:
        self._recorder = recorder
        self._births = births
        self._program = program

    @property
    def _ledger(self) -> Ledger:
        return self._recorder.ledger

    @property
    def _next_request(self) -> int:
        return -(self._ledger.ordinal + 1)

    # Slots

    def keep(self, slot_id: str | None) -> tuple[str, ...]:
        """Keep a slot (None: the newest on stage) on stage from the next request on, with its chain.

        Returns the ids kept. Raises SessionError: ``unknown_slot``, ``nothing_to_keep``, ``already_kept``.
        """
        if slot_id is None:
            shown = self._recorder.stage.shown
            if not shown:
                raise SessionError("nothing_to_keep", "no slot is on stage yet")
            slot_id = max(shown, key=lambda i: self._ledger.slots[i].number)
        chain = [s for s in self._chain(self._slot(slot_id)) if not self._is_kept(s)]
        if not chain:
            raise SessionError("already_kept", f"{slot_id} is kept already")
        with self._recorder.transaction("keep") as emit:
            for slot in chain:
                emit("kept", slot=slot.id, since=self._next_request)
        return tuple(slot.id for slot in chain)

    def unkeep(self, slot_id: str) -> tuple[str, ...]:
        """Give a kept slot (``all``: every one) back to the law. Raises ``unknown_slot``, ``not_kept``."""
        if slot_id == "all":
            slots = [s for s in self._ledger.slots.values() if self._is_kept(s)]
        else:
            slots = [s for s in self._chain(self._slot(slot_id)) if self._is_kept(s)]
        if not slots:
            raise SessionError("not_kept", "no slot is kept" if slot_id == "all" else f"{slot_id} is not kept")
        with self._recorder.transaction("keep") as emit:
            for slot in slots:
                emit("unkept", slot=slot.id, until=self._next_request)
        return tuple(slot.id for slot in slots)

    def close(self, slot_id: str) -> bool:
        """Take a slot off stage from the next request on; False when it is off already.

        Raises SessionError: ``unknown_slot``, ``protected`` (system slots, the running turn's user slot).
        """
        slot = self._slot(slot_id)
        self._refuse_protected(slot)
        ledger = self._ledger
        if slot_id not in self._recorder.stage.shown or self._is_kept(slot):
            return False
        with self._recorder.transaction("op") as emit:
            for index, (_, end) in enumerate(slot.segments):
                if end is None or end > ledger.turn or (end == ledger.turn and ledger.turn > 0):
                    emit("segment_closed", slot=slot_id, index=index, end=-ledger.ordinal, was=end)
        return True

    def reopen(self, slot_id: str) -> bool:
        """Bring a slot whose segment is over back, up to its rule's end; False when it is on stage.

        Raises SessionError: ``unknown_slot``, ``reopen_past_end``, ``off_stage`` (a hold or a cancel, not
        its segment, keeps it off).
        """
        slot = self._slot(slot_id)
        if slot_id in self._recorder.stage.shown:
            return False
        ledger = self._ledger
        turn = ledger.turn if ledger.is_open else ledger.turn + 1
        try:
            end = declared_end(slot.rule, slot.turn, turn)
        except SegmentError as error:
            raise SessionError(error.code, f"{slot_id}: {error.message}", help=error.help) from None
        if covering(slot, turn) is not None:
            raise SessionError(
                "off_stage", f"{slot_id} is inside its segment, but a hold, a cancel or its call keeps it off stage",
                help="undo the transaction that took it off",
            )  # fmt: skip
        with self._recorder.transaction("reopen") as emit:
            emit("segment_opened", slot=slot_id, start=self._next_request, end=end)
        return True

    def represent(self, slot_id: str, how: Representation) -> bool:
        """Render a slot as ``full``, ``ref`` or ``stub`` from the next request on; False when it is already.

        Raises SessionError: ``unknown_slot``, ``protected``.
        """
        slot = self._slot(slot_id)
        now = slot.marks.shapes[-1].how if slot.marks and slot.marks.shapes else "full"
        if how != "full":
            self._refuse_protected(slot)
        if how == now:
            return False
        with self._recorder.transaction("op") as emit:
            emit("represented", slot=slot_id, how=how, was=now, since=self._next_request)
        return True

    def end(self, target: str) -> tuple[str, ...]:
        """End an element or a slot from the next turn on, as if its turns were over (``/dc-end``).

        Queued patches of the element are dropped. Returns the ids of the slots that end. Raises
        SessionError: ``nothing_to_end``.
        """
        ledger = self._ledger
        slots = [ledger.slots[target]] if target in ledger.slots else [
            ledger.slots[i] for i in ledger.by_element.get(target, [])
        ]  # fmt: skip
        ending = [(s, at) for s in slots if (at := self._ending_segment(s)) is not None]
        queued = [p for p in ledger.queue if p.element == target]
        if not ending and not queued:
            raise SessionError(
                "nothing_to_end", f"{target} has nothing on stage and nothing queued",
                help="/dc-status lists what is on stage",
            )  # fmt: skip
        with self._recorder.transaction("patch_end") as emit:
            for slot, at in ending:
                for kind, data in close_at(slot, at, ledger.turn):
                    emit(kind, **data)
            for patch in queued:
                emit("queue_dropped", patch=patch.number)
        return tuple(slot.id for slot, _ in ending)

    def _ending_segment(self, slot: Slot) -> int | None:
        """The segment that /dc-end would end: one that goes on after this turn."""
        at = covering(slot, self._ledger.turn)
        if at is None and slot.segments[-1].start > self._ledger.turn:
            at = len(slot.segments) - 1
        if at is None:
            return None
        end = slot.segments[at].end
        return at if end is None or end < 0 or end > self._ledger.turn else None

    # Pins and entries

    def pin(self, text: str) -> str:
        """Stick a note to the ledger after the last turn (``/pin``); returns its slot id.

        Raises SessionError: ``empty_content``, ``pin_too_early`` (no turn yet).
        """
        if not text.strip():
            raise SessionError("empty_content", "a pin needs a text", help="/pin text")
        if self._ledger.turn == 0:
            raise SessionError("pin_too_early", "there is no turn to pin to yet", help="pin after the first message")
        return self.add_entry(f"pin_user_p{self._ledger.last_pin + 1:02d}", text.strip())

    def cancel_pin(self, pin: str) -> str:
        """Cancel a pin (``p01``, or its element) for good from the next request on; returns its slot id.

        Raises SessionError: ``unknown_pin``, ``pin_cancelled``.
        """
        ledger = self._ledger
        elements = (pin, f"pin_user_{pin}", f"pin_model_{pin}")
        element = next((e for e in elements if e.startswith("pin_") and e in ledger.by_element), None)
        if element is None:
            known = ", ".join(sorted(e for e in ledger.by_element if e.startswith("pin_"))) or "none"
            raise SessionError("unknown_pin", f"no pin {pin}", help=f"pins: {known}")
        slot = ledger.slots[ledger.by_element[element][-1]]
        if slot.marks is not None and any(m.until is None for m in slot.marks.cancels):
            raise SessionError("pin_cancelled", f"{element} is cancelled already")
        with self._recorder.transaction("cancel") as emit:
            emit("cancelled", slot=slot.id, since=self._next_request)
        return slot.id

    def add_entry(self, element: str, content: Content) -> str:
        """Bear a slot that no request asked for: between turns, or after the last call of an open one."""
        ledger = self._ledger
        mid_turn = ledger.is_open and ledger.call > 0
        with self._recorder.transaction("entry") as emit:
            slot = self._births.bear(
                emit, element, content,
                turn=ledger.turn,
                phase=CALL if mid_turn else BETWEEN,
                call=ledger.call if mid_turn else 0,
                seq=_AFTER_RESULTS if mid_turn else 0,
                shown_from=ledger.ordinal + 1,
                superseded_end=-ledger.ordinal,
            )  # fmt: skip
        return slot.id

    # Patches and rules

    def queue_patch(
        self, element: str, content: str, mode: str, turns: int | None, at: int | None = None
    ) -> tuple[int, tuple[str, ...]]:
        """Queue a content patch for turn ``at`` (None: the coming one); it lands when that turn begins.

        Returns the turn, and the notices. Raises SessionError with the codes of ``make_patch`` and
        ``patch_too_late``.
        """
        ledger = self._ledger
        try:
            patch = make_patch("host", element, content, mode, turns)
        except GrammarError as error:
            raise SessionError(error.code, error.message, help=error.help) from None
        at = ledger.turn + 1 if at is None else at
        if at <= ledger.turn:
            raise SessionError("patch_too_late", f"turn {at} has begun; the coming turn is {ledger.turn + 1}")
        notices: list[str] = []
        with self._recorder.transaction("queue") as emit:
            for old in [p for p in ledger.queue if p.element == patch.element and p.at == at]:
                emit("queue_dropped", cause="superseded", patch=old.number)
                message = f"of two {patch.element} patches for turn {at} the later one counts"
                emit("notice", code="patch_replaced", message=message)
                notices.append(message)
            digest = self._recorder.keep_content(patch.content)
            number = ledger.seq + 1
            emit("queued", patch=[number, patch.element, digest.hex(), patch.mode, patch.turns, at])
        return at, tuple(notices)

    def patch_rule(self, element: str, start: object, end: object, mode: str) -> Rule:
        """Change an element's rule (``/dc-rule``, ``/dc-addrow``); bounds as in YAML. Returns the new rule.

        Raises SessionError: the codes of ``parse_bound`` and of ``rule_patch``, ``unknown_element`` (an
        ``until_end`` of an element that does not exist), ``no_dataset``, ``user_must_show``.
        """
        rule = Rule(_bound(start), _bound(end))
        self._check_rule(element, rule)
        known = self._knows(element)
        stage = self._recorder.stage
        changes = list(rule_patch(self._ledger, element, rule, mode, known=known, on_stage=stage.counts))
        with self._recorder.transaction("rule_patch") as emit:
            for kind, data in changes:
                emit(kind, **data)
        return rule

    def patch_slot(self, slot_id: str, start: object, end: object) -> None:
        """Give one slot a rule of its own, from its birth turn on (library only: no command does this).

        Raises SessionError: ``unknown_slot``, and as :meth:`patch_rule`.
        """
        slot = self._slot(slot_id)
        rule = Rule(_bound(start), _bound(end))
        self._check_rule(slot.element, rule)
        changes = list(slot_patch(self._ledger, slot, rule, self._recorder.stage.counts))
        with self._recorder.transaction("rule_patch") as emit:
            for kind, data in changes:
                emit(kind, **data)

    def _knows(self, element: str) -> bool:
        ledger = self._ledger
        return (
            element in self._program.declared
            or element in self._program.elements
            or element in ledger.rules
            or element in ledger.by_element
        )

    def _check_rule(self, element: str, rule: Rule) -> None:
        end = rule.end
        if end.kind in ("cycle", "labelled"):
            raise SessionError("no_dataset", f"{end.kind} asks a labelled dataset; a session has none")
        if end.kind == "idle":
            raise SessionError("no_key", "idle needs a declared key", help="declare key: in the ruleset")
        if end.kind == "until_end" and not self._knows(end.element or ""):
            raise SessionError("unknown_element", f"until_end({end.element}): no element {end.element}")
        if element == "user" and (rule.start.kind != "born" or rule.start.n):
            raise SessionError("user_must_show", "a request always holds the message it answers",
                               help="start user at born")  # fmt: skip

    # Undo

    def undo(self, n: int) -> tuple[int, ...]:
        """Take back the newest ``n`` transactions that can be undone; returns their numbers, newest first.

        Raises SessionError: ``nothing_to_undo``.
        """
        open_ones = [t for t in self._ledger.history if t.number not in self._ledger.undone]
        chosen = open_ones[-n:][::-1] if n > 0 else []
        if not chosen:
            raise SessionError("nothing_to_undo", "no transaction can be undone")
        self._take_back(chosen)
        return tuple(t.number for t in chosen)

    def undo_transaction(self, number: int) -> None:
        """Take back one transaction.

        Raises SessionError: ``not_undoable`` (a turn, a birth, an undo, or undone already), ``undo_blocked``
        (a later transaction changed one of its slots; its number is named).
        """
        ledger = self._ledger
        chosen = next((t for t in ledger.history if t.number == number), None)
        if chosen is None or number in ledger.undone:
            raise SessionError("not_undoable", f"transaction #{number} cannot be undone, or was already")
        subjects = _subjects(self._events(chosen))
        for later in reversed(ledger.history):
            if later.number <= number:
                break
            if later.number not in ledger.undone and subjects & _subjects(self._events(later)):
                raise SessionError(
                    "undo_blocked", f"transaction #{later.number} came later and changed a slot of #{number}",
                    help=f"undo #{later.number} first",
                )  # fmt: skip
        self._take_back([chosen])

    def _take_back(self, chosen: list[Transaction]) -> None:
        with self._recorder.transaction("undo") as emit:
            for transaction in chosen:
                self._invert(emit, transaction)
            emit("undone", transactions=[t.number for t in chosen])

    def _invert(self, emit: Emit, transaction: Transaction) -> None:
        for event in reversed(self._events(transaction)):
            for kind, data in inverse(self._ledger, event):
                emit(kind, **data)

    def _events(self, transaction: Transaction) -> list[Event]:
        found: list[Event] = []
        for row in self._recorder.store.rows(transaction.first - 1):
            event = Event.from_row(row)
            if event.seq > transaction.last:
                break
            if event.transaction == transaction.number and event.cause in UNDOABLE:
                found.append(event)
        return found

    # Looking up

    def _slot(self, slot_id: str) -> Slot:
        slot = self._ledger.slots.get(slot_id)
        if slot is None:
            near = [i for i in self._ledger.slots if i.startswith(slot_id.partition("@")[0] + "@")][-3:]
            raise SessionError(
                "unknown_slot", f"no slot {slot_id}",
                help=f"newest of that element: {', '.join(near)}" if near else "/dc-status lists the slots",
            )  # fmt: skip
        return slot

    def _chain(self, slot: Slot) -> Iterable[Slot]:
        """The slot with the other half of its chain."""
        yield slot
        result = self._ledger.result_of.get(slot.id)
        if result is not None:
            yield self._ledger.slots[result]
        if slot.link is not None and slot.link.answers is not None:
            yield self._ledger.slots[slot.link.answers]

    def _is_kept(self, slot: Slot) -> bool:
        stage = self._recorder.stage
        return slot.marks is not None and in_force(slot.marks.keeps, stage.turn, stage.ordinal)

    def _refuse_protected(self, slot: Slot) -> None:
        running = self._ledger.is_open and slot.element == "user" and slot.turn == self._ledger.turn
        if self._program.base_of(slot.element) == "system" or running:
            raise SessionError("protected", f"{slot.id} stays on stage, full: no reduction touches it")

    def content_of(self, slot: Slot) -> str:
        """The text of a slot's content."""
        return text_of(decode(self._recorder.content(slot.digest)))


def _subjects(events: Iterable[Event]) -> set[str]:
    names: set[str] = set()
    for event in events:
        if "slot" in event.data:
            names.add(event.data["slot"])
        if event.kind == "rule_changed":
            names.add("rule:" + event.data["element"])
    return names


def _bound(value: object) -> Bound:
    if isinstance(value, Bound):
        return value
    try:
        return parse_bound(value)
    except GrammarError as error:
        raise SessionError(error.code, error.message, help=error.help) from None
