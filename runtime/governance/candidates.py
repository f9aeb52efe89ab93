"""Candidates: what of a stage a critical pass may touch, as facts (spec/cpat.md section 7).

Asked only when a pass is due: it walks over the whole stage.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from ...compiler.program import Program
from ..kernel.content import Call, decode, parse_object, text_of
from ..kernel.keys import findable, normal_path
from ..kernel.law import in_force, on_stage, representation
from ..kernel.reading import was_held
from ..kernel.representation import stand_in
from ..kernel.retirement import is_spared
from ..kernel.slots import Slot
from ..recorder import Recorder
from ..view.build import Visible
from .critical import Chain, Result
from .cutting import Room, Short, shortened

#: Arguments that name a file, as the tools of coding agents call them.
PATHS: Final = ("path", "file_path", "filePath", "filename", "file", "target_file", "absolute_path")

#: Tools that change a file, by name; and arguments that bring the text to write, by which any other tool is told.
CHANGERS: Final = re.compile("edit|write|replace|patch|create|insert|update", re.I)
TEXTS: Final = frozenset(
    {"oldText", "old_str", "old_string", "oldString", "newText", "new_str", "new_string", "newString", "content"}
)


@dataclass(frozen=True, slots=True)
class Candidates:
    """What a pass may touch, in order of position.

    ``system``, ``protected``, ``unread``: the tokens of system slots, of what people typed, of results not yet read.
    """

    results: tuple[Result, ...]
    chains: tuple[Chain, ...]
    system: int
    protected: int
    unread: int


class Finding:
    """Finds the candidates of a session."""

    def __init__(self, recorder: Recorder, program: Program) -> None:
        self._recorder = recorder
        self._program = program

    def candidates(self, visible: tuple[Visible, ...]) -> Candidates:
        """The candidates among the slots of the next request."""
        slots = self._recorder.ledger.slots
        rendered = {one.slot: one for one in visible}
        results: list[Result] = []
        chains: list[Chain] = []
        system = protected = unread = 0
        for one in visible:
            slot = slots[one.slot]
            if self._program.base_of(slot.element) == "system":
                system += one.tokens
            elif slot.is_result:
                is_unread = not was_held(self._recorder.ledger, slot)
                unread += one.tokens if is_unread else 0
                self._look(slot, one, rendered, is_unread, results, chains)
            elif slot.element == "user" or slot.is_patch or slot.element.startswith("pin_"):
                protected += one.tokens
        return Candidates(tuple(results), tuple(chains), system, protected, unread)

    def shortened(self, slot_id: str, room: Room) -> Short | None:
        """What would stand for a slot in a room; None: nothing shorter can."""
        slot = self._recorder.ledger.slots[slot_id]
        return shortened(decode(self._recorder.content(slot.digest)), slot.digest.hex(), room)

    def _look(
        self,
        slot: Slot,
        shown: Visible,
        rendered: Mapping[str, Visible],
        is_unread: bool,
        results: list[Result],
        chains: list[Chain],
    ) -> None:
        answers = slot.link.answers if slot.link is not None else None
        asked = rendered.get(answers or "")
        if asked is None or self._is_kept(slot) or self._is_kept(call := self._recorder.ledger.slots[asked.slot]):
            return
        if self._will_change(slot) or self._will_change(call):
            return
        if not is_unread and not is_spared(self._recorder.ledger, call, slot) and not self._is_spared(slot):
            chains.append(Chain(call.id, slot.id, asked.tokens, shown.tokens))
        if shown.on_stage and shown.how != "stub" and not self._is_spared(slot):
            results.append(self._result(slot, call, shown, is_unread))

    def _result(self, slot: Slot, call: Slot, shown: Visible, is_unread: bool) -> Result:
        tool, args = self._asked(call)
        key = slot.link.key if slot.link is not None else None
        named = next((args[name] for name in PATHS if isinstance(args.get(name), str) and args[name]), None)
        path = key or (normal_path(findable(named), self._recorder.ledger.folder) if named is not None else None)
        return Result(
            slot=slot.id,
            tokens=shown.tokens,
            age=self._recorder.last_request + 1 - slot.shown_from,
            unread=is_unread,
            digest=slot.digest,
            characters=self._characters(slot, shown),
            path=path,
            asked=json.dumps([tool, args], sort_keys=True),
            changes=CHANGERS.search(tool) is not None or not TEXTS.isdisjoint(args),
        )

    def _characters(self, slot: Slot, shown: Visible) -> int:
        """The characters of a result as it is shown."""
        content, text = decode(self._recorder.content(slot.digest)), None
        if shown.how == "ref":
            _, _, noted, preview, images, _ = slot.shape
            note = "" if noted is None else text_of(decode(self._recorder.content(bytes.fromhex(noted))))
            text = stand_in(content, "ref", slot.digest.hex(), note=note, preview=preview, images=images)
        return len(text_of(content) if text is None else text)

    def _asked(self, call: Slot) -> tuple[str, dict[str, Any]]:
        """The tool of a call and its arguments."""
        content = decode(self._recorder.content(call.digest))
        asked = next((part for part in content if isinstance(part, Call)), None)
        return (asked.name, parse_object(asked.arguments) or {}) if asked is not None else ("", {})

    def _is_kept(self, slot: Slot) -> bool:
        stage = self._recorder.stage
        return slot.marks is not None and (
            in_force(slot.marks.keeps, stage.turn, stage.ordinal) or any(m.until is None for m in slot.marks.keeps)
        )

    def _will_change(self, slot: Slot) -> bool:
        """Whether something was decided on already that acts from the request after the one in progress."""
        stage, coming = self._recorder.stage, self._recorder.last_request + 1
        now, then = (
            (on_stage(slot, stage.turn, ordinal), representation(slot, stage.turn, ordinal))
            for ordinal in (stage.ordinal, coming)
        )
        return now != then

    def _is_spared(self, slot: Slot) -> bool:
        return is_spared(self._recorder.ledger, slot)
