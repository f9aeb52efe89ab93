"""Facts of slots: what an operation's refusals may ask of its targets (compiler/ops/model.FACTS).

All of them are told for the next request: operations act from there on. A fact is looked up when it is asked for,
since some need the content.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, Literal

from ...compiler.ops.model import FACTS
from ...compiler.program import SUMMARY as SUMMARY_ELEMENT
from ...compiler.program import Program
from ..errors import StoreError
from ..kernel.content import Content, decode, parse_object, text_of
from ..kernel.law import in_force, shape_at
from ..kernel.projection import shows
from ..kernel.reading import was_held
from ..kernel.reduction import reduced_call
from ..kernel.representation import off_stage, stand_in, with_images
from ..kernel.slots import PATCH, SUMMARY, Mark, Representation, Shape, Slot
from ..kernel.stage import unit_key
from ..kernel.tokens import count_tokens
from ..recorder import Recorder

#: Holds of operations are named after their transaction: ``op:12``, and ``op:12:hidden`` when they are not listed.
HOLD: Final = "op:"
HIDDEN: Final = ":hidden"


class Facts(Mapping[str, Any]):
    """The facts of one slot, with what a transaction in the making has changed of them."""

    def __init__(self, id: str, slot: Slot | None, make: Callable[[str], Any], known: Mapping[str, Any]) -> None:
        self.id = id
        #: None: the transaction itself bears it.
        self.slot = slot
        self._make = make
        self._known = dict(known)

    def __getitem__(self, fact: str) -> Any:
        known = self._known
        if fact not in known:
            known[fact] = self._make(fact)
        return known[fact]

    def __iter__(self) -> Iterator[str]:
        return iter(FACTS)

    def __len__(self) -> int:
        return len(FACTS)

    def but(self, **changed: Any) -> Facts:
        """The same with some facts changed."""
        return Facts(self.id, self.slot, self.__getitem__, changed)

    @property
    def is_visible(self) -> bool:
        """Whether the next request holds the slot."""
        return bool(self["visibility"] == "model")


class Reader:
    """Tells the facts of the slots of a session: for the next request, or (``present``) for the stage as it is.

    ``replied``: as if a request in progress had its reply, so that what it holds is read.
    """

    def __init__(
        self, recorder: Recorder, program: Program, *, present: bool = False, replied: bool = False
    ) -> None:
        self.recorder = recorder
        self.program = program
        self._present = present
        self._replied = replied

    @property
    def moment(self) -> tuple[int, int]:
        """The turn and the ordinal of the next request: of the one after a call in progress."""
        ledger, stage = self.recorder.ledger, self.recorder.stage
        if self._present:
            return stage.turn, stage.ordinal
        return ledger.turn + (not ledger.is_open), self.recorder.last_request + 1

    def find(self, slot_id: str) -> Facts | None:
        """The facts of a slot; None when there is none, or an undo took it back."""
        slot = self.recorder.ledger.slots.get(slot_id)
        return None if slot is None or slot.is_undone else self.of(slot)

    def of(self, slot: Slot) -> Facts:
        """The facts of a slot."""
        return Facts(slot.id, slot, lambda fact: _TELL[fact](self, slot), {})

    def coming(self) -> list[str]:
        """The slots that the next request may show otherwise than the stage does: those of a call in progress."""
        return self.recorder.stage.coming() if self.moment[1] > self.recorder.stage.ordinal else []

    def coming_tokens(self) -> int:
        """By how many tokens they make the next request longer than the stage is."""
        ledger, stage = self.recorder.ledger, self.recorder.stage
        total = 0
        for slot_id in self.coming():
            slot = ledger.slots[slot_id]
            total += self.tokens(slot) if self.visibility(slot) == "model" else 0
            presence = stage.shown.get(slot_id)
            if presence is not None:
                shape = presence.shape
                total -= self._tokens_of(slot, shape)
        return total

    def kind(self, slot: Slot) -> str:
        """What a slot is, for operations: its element, or ``summary`` for every summary."""
        if slot.phase == SUMMARY or slot.element == SUMMARY_ELEMENT:
            return SUMMARY_ELEMENT
        return self.program.base_of(slot.element)

    def visibility(self, slot: Slot) -> str:
        """``model``, ``archived``, ``hidden``, or ``retired`` when something else than an operation took it off."""
        turn, ordinal = self.moment
        if shows(self.recorder.ledger, slot, turn, ordinal):
            return "model"
        names = [m.name for m in self.op_holds(slot) if in_force((m,), turn, ordinal)]
        if not names:
            return "retired"
        return "hidden" if any(name.endswith(HIDDEN) for name in names) else "archived"

    def op_holds(self, slot: Slot) -> list[Mark]:
        """The holds of operations that no later one has lifted."""
        holds = slot.marks.holds if slot.marks is not None else ()
        return [m for m in holds if m.until is None and m.name.startswith(HOLD)]

    def shape(self, slot: Slot) -> Shape:
        """How the next request renders the slot."""
        return shape_at(slot, *self.moment)

    def is_protected(self, slot: Slot) -> bool:
        """Whether a person typed it or the system is made of it: it may be archived, never hidden or rewritten."""
        return (
            slot.phase == PATCH
            or slot.element.startswith("pin_")
            or self.program.base_of(slot.element) in ("system", "user")
        )

    def is_kept(self, slot: Slot) -> bool:
        """Whether a person keeps the slot on stage."""
        return slot.marks is not None and any(m.until is None for m in slot.marks.keeps)

    def is_current_question(self, slot: Slot) -> bool:
        """Whether it is what a person asked last; what a host says of its own accord (spec/cpat.md 12, 13) is not."""
        return slot.is_message and slot.turn == self.recorder.ledger.asked

    def is_unread(self, slot: Slot) -> bool:
        """Whether no request that has its reply held the result; on the stage as it is, it is being read."""
        ledger = self.recorder.ledger
        if not slot.is_result or was_held(ledger, slot) or (self._present and shows(ledger, slot, *self.moment)):
            return False
        is_replied = ledger.reply is not None or (self._replied and self.recorder.in_flight)
        return not is_replied or not shows(ledger, slot, ledger.turn, ledger.ordinal + 1)

    def is_open_chain(self, slot: Slot) -> bool:
        """Whether it is a tool call without a result."""
        return slot.is_call and slot.id not in self.recorder.ledger.result_of

    def is_untouchable(self, slot: Slot) -> bool:
        """Whether no operation at all may name it: the system's slots, and of the open turn its thinking and the
        message that a host began it with (a person's is the current question).
        """
        base, ledger = self.program.base_of(slot.element), self.recorder.ledger
        if base == "system":
            return True
        is_nudge = slot.is_message and not self.is_current_question(slot)
        return ledger.is_open and slot.turn == ledger.turn and (base == "think" or is_nudge)

    def is_held_elsewhere(self, slot: Slot) -> bool:
        """Whether bringing the slot back is not up to an operation: a cancel, a compaction, a collapse, a purge."""
        turn, ordinal = self.moment
        marks = slot.marks
        if marks is None:
            return False
        others = [m for m in marks.holds if not m.name.startswith(HOLD)]
        return slot.is_purged or in_force(others, turn, ordinal) or in_force(marks.cancels, turn, ordinal)

    def stands(self, slot: Slot) -> bool:
        """Whether the next request holds the slot in full."""
        return self.shape(slot).how == "full" and self.visibility(slot) == "model"

    def is_lost(self, slot: Slot) -> bool:
        """Whether the content is gone: purged, or missing in the store."""
        if slot.is_purged:
            return True
        try:
            self.recorder.content(slot.digest)
        except StoreError:
            return True
        return False

    def tokens(self, slot: Slot) -> int:
        """What the slot costs in the next request as it is rendered, whether it is there or not."""
        return self._tokens_of(slot, self.shape(slot))

    def _tokens_of(self, slot: Slot, shape: Shape) -> int:
        if shape.how == "full" or self.is_lost(slot):
            return slot.tokens
        return self.tokens_as(slot, shape.how, self._note(shape), shape.preview, shape.images)

    def _note(self, shape: Shape) -> str:
        """The note of a shape; blank without one, and when it was deleted."""
        if shape.note is None or shape.lost is not None:
            return ""
        try:
            return text_of(decode(self.recorder.content(bytes.fromhex(shape.note))))
        except StoreError as error:
            if error.code != "purged":
                raise
            return ""

    def tokens_as(self, slot: Slot, how: Representation, note: str = "", preview: int = 0, images: int = 0) -> int:
        """What the slot costs in a representation; what it costs in full where that would be no shorter."""
        if how == "full":
            return slot.tokens
        body = self.content(slot)
        if slot.is_call:
            return count_tokens(reduced_call(body, self._key_of(slot)))
        text = self.stand_in(slot, how, note, preview, images)
        return count_tokens(with_images(text, body, images)) if text is not None else slot.tokens

    def stub_tokens(self, slot: Slot) -> int:
        """What a result that is off stage costs while its call is there."""
        return count_tokens(off_stage(self.content(slot)))

    def stand_in(
        self, slot: Slot, how: Representation, note: str = "", preview: int = 0, images: int = 0
    ) -> str | None:
        """The text that would stand for the slot; None when it is no shorter."""
        way: Literal["ref", "stub"] = "ref" if how == "ref" else "stub"
        return stand_in(self.content(slot), way, slot.digest.hex(), note=note, preview=preview, images=images)

    def content(self, slot: Slot) -> Content:
        """The content of a slot. Raises StoreError."""
        return decode(self.recorder.content(slot.digest))

    def chain(self, slot: Slot) -> tuple[str, ...]:
        """A tool call and the result that answers it, in this order; empty for any other slot."""
        ledger = self.recorder.ledger
        call = slot.link.answers if slot.link is not None else None
        if call is None:
            call = slot.id if slot.is_call else None
        if call is None:
            return ()
        result = ledger.result_at(call, *self.moment)
        return (call, result.id) if result is not None else (call,)

    def _key_of(self, call: Slot) -> str | None:
        """The key that a call's chain declares: that argument is never replaced."""
        result = self.recorder.ledger.result_at(call.id, *self.moment)
        row = self.program.row(result.row_name) if result is not None else None
        return row.key if row is not None and row.of == "chain" else None

    def calls_tools(self, slot: Slot) -> bool:
        """Whether it is a piece of a reply that calls tools."""
        if slot.is_call or not slot.is_reply:
            return slot.is_call
        ledger = self.recorder.ledger
        same_turn = (i for i in reversed(ledger.by_element.get("toolCall") or ()) if f"@{slot.turn}" in i)
        unit = unit_key(slot)
        return any(unit_key(ledger.slots[i]) == unit for i in same_turn)

    def is_json_object(self, slot: Slot) -> bool:
        """Whether the content is a JSON object; not of one that is lost."""
        if self.is_lost(slot):
            return False
        return parse_object(text_of(self.content(slot))) is not None


_TELL: Mapping[str, Callable[[Reader, Slot], Any]] = {
    "kind": Reader.kind,
    "element": lambda reader, slot: slot.element,
    "visibility": Reader.visibility,
    "storage": lambda reader, slot: "inline" if reader.shape(slot).how == "full" else "offloaded",
    "protected": Reader.is_protected,
    "current_question": Reader.is_current_question,
    "state": lambda reader, slot: slot.element == "task_state",
    "unread": Reader.is_unread,
    "open_chain": Reader.is_open_chain,
    "calls_tools": Reader.calls_tools,
    "is_error": lambda reader, slot: slot.link is not None and slot.link.is_error,
    "json_object": Reader.is_json_object,
    "lost": Reader.is_lost,
    "tokens": Reader.tokens,
}
