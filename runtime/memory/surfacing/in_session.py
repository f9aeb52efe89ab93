"""Canon in a session: lines are slots, and what happened is in the ledger (kernel.md section 1, phases 3 and 4).

A call's touches are noted with its reply, before any tool runs. After its last result the lines are borne as one slot,
which the next request holds. What is owed is told when the coming turn opens.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from ....compiler.program import Program, Rule
from ....grammar.ast import BORN, Bound
from ...births import Births
from ...kernel.clock import Clock
from ...kernel.content import Call, decode, parse_object, text_of
from ...kernel.segments import still_open
from ...kernel.slots import AFTER_RESULTS, CALL, Link, Slot
from ...recorder import Emit, Recorder
from ..canon import Canon
from ..options import IN_SETTINGS, Options, checked_setting, read_options, typed_setting
from ..reply import Reply
from ..search.intents import MARKS, bounded
from .presence import LedgerPresence
from .surfacing import Plan, Surfacing, Tell, is_own
from .trace import Trace
from .wording import ELEMENT, FAREWELL, message, reminder

#: The number of the compaction that is near, if that is above the one given.
Coming = Callable[[int], int | None]

#: The rule of lines where the ruleset has no row for them; the row that ships has the same.
_RULE: Final = Rule(BORN, Bound("until_superseded"))


def canon_of(program: Program, folder: str, clock: Clock, *, read_only: bool = False) -> Canon | None:
    """The canon that the ruleset's ``canon`` section asks for, in a session's folder (else: the current one).

    None: it asks for none. No disk is touched yet. Raises CanonError (``bad_option``).
    """
    section = program.sections.get("canon")
    if section is None:
        return None
    return Canon(folder or os.getcwd(), read_options(section), clock=clock, read_only=read_only)


class SessionCanon:
    """What a session does with the project's knowledge.

    ``canon`` may be open for reading only; ``reminds``: whether a turn is told of articles that are to be updated.
    """

    def __init__(
        self, canon: Canon, recorder: Recorder, births: Births, clock: Clock, *, reminds: bool = True
    ) -> None:
        self.canon = canon
        self._reminds = reminds
        self._recorder = recorder
        self._ledger = recorder.ledger
        self._births = births
        self._given = canon.options
        presence = LedgerPresence(
            lambda: self._ledger.knowledge.carried, recorder.stage.is_full, lambda: self.options.resurface
        )
        self.surfacing = Surfacing(canon, presence, lambda: self._ledger.knowledge, Trace(clock=clock))
        self._rule = None if ELEMENT in births.program.elements else _RULE
        self._has_seen = False

    @property
    def options(self) -> Options:
        """The options that hold now: as they were given, with what was set for the session."""
        wanted = replace(self._given, **self._ledger.knowledge.options)
        if wanted != self.canon.options:
            self.canon.use(wanted)
        return wanted

    # A call

    def called(self, emit: Emit, calls: Sequence[tuple[str, Call]]) -> None:
        """A reply asks for tools: slots of calls with what they hold."""
        if self.options.surface:
            for slot, call in calls:
                self.surfacing.called(_tell(emit), slot, call.name, parse_object(call.arguments) or {})

    def serve(self, arguments: str) -> Reply:
        """Answer a call of the tool with these arguments (JSON text)."""
        desk, _ = self.canon.desk, self.options
        desk.call = self._ledger.ordinal
        if not self._has_seen:
            # What the session saw of articles before it was taken up again; a line is no look at an article.
            self._has_seen = True
            for address, carriers in self._ledger.knowledge.carried.items():
                bases = [one.base for one in carriers if not one.by.startswith(f"{ELEMENT}@")]
                if bases:
                    desk.seen.setdefault(address, bases[-1])
        return self.canon.call(parse_object(arguments) or {})

    def answered(self, emit: Emit, call: tuple[str, Call], result: str, is_error: bool, reply: Reply | None) -> None:
        """A call has its result. ``reply``: that of the tool, where the session itself has served it."""
        slot, asked = call
        if not is_own(asked.name):
            if not is_error:
                self.surfacing.succeeded(_tell(emit), slot)
            return
        if reply is not None:
            entered = self.surfacing.answered(parse_object(asked.arguments) or {}, reply)
        else:
            entered = None if is_error else self.surfacing.used(parse_object(asked.arguments) or {})
        if entered is not None:
            self.surfacing.entered(_tell(emit), entered, result if entered.by_result else slot)

    def completed(self, emit: Emit, calls: Sequence[Call]) -> None:
        """The call is complete, and the stage is at the next request: bear the lines, if there are any."""
        options = self.options
        if not options.surface or not (self._ledger.knowledge.touched or (options.by_relevance and calls)):
            return
        said: list[tuple[str, Mapping[str, Any]]] = []
        words: tuple[str, ...] = ()
        if options.by_relevance:
            self.canon.desk.call = self._ledger.ordinal
            said = [(call.name, parse_object(call.arguments) or {}) for call in calls]
            words = bounded(self._words())
        plan = self.surfacing.plan(said, words)
        slot = self._bear(emit, plan) if plan.lines else ""
        self.surfacing.went_out(_tell(emit), plan, slot)

    def _words(self) -> Iterator[str]:
        """What people said on stage, newest first; what says of itself that it is a message of canon is no word."""
        stage, slots = self._recorder.stage, self._ledger.slots
        for key in reversed(stage.keys):
            for slot_id in reversed(stage.units[key]):
                slot = slots[slot_id]
                if slot.element == "user" and not slot.is_purged:
                    text = text_of(decode(self._recorder.content(slot.digest))).strip()
                    if text and not text.startswith(MARKS):
                        yield text

    # Births

    def _bear(self, emit: Emit, plan: Plan) -> str:
        """Bear one slot for all lines; returns its id. The key of a slot with one line is the article's address."""
        ledger = self._ledger
        link = Link(key=plan.lines[0].address) if len(plan.lines) == 1 else None
        slot = self._births.bear(
            emit, ELEMENT, message(plan.lines),
            turn=ledger.turn, phase=CALL, call=ledger.call, seq=AFTER_RESULTS, shown_from=ledger.ordinal + 1,
            superseded_end=-ledger.ordinal, link=link, rule=self._rule,
        )  # fmt: skip
        self._supersede(emit, slot, {line.address for line in plan.lines})
        return slot.id

    def _supersede(self, emit: Emit, new: Slot, addresses: set[str]) -> None:
        """End older slots of several lines, each of whose articles has a newer line; and any that ``new`` replaces so.

        The law of keys knows one key a slot: it sees to those that have the one key of ``new``.
        """
        waiting = self._ledger.waiting.get(new.waits_for, {})
        carried = self._ledger.knowledge.carried
        older = {one.by for address in addresses for one in carried.get(address, ())} & waiting.keys()
        for old in self._ledger.in_order(older - {new.id}):
            if new.link is not None and old.link is not None:
                continue
            lines = [a for a, carriers in carried.items() if any(one.by == old.id for one in carriers)]
            if all(address in addresses or self._has_newer_line(address, old) for address in lines):
                for index in still_open(old.segments):
                    emit(
                        "segment_closed", cause="event_end", slot=old.id, index=index, end=-self._ledger.ordinal,
                        was=None,
                    )  # fmt: skip

    def _has_newer_line(self, address: str, old: Slot) -> bool:
        slots = (self._ledger.slots.get(one.by) for one in self._ledger.knowledge.carried[address])
        return any(s is not None and s.element == ELEMENT and s.number > old.number for s in slots)

    def reminder(self, emit: Emit, coming: Coming) -> str | None:
        """What the coming turn is told once: of articles whose assets were changed, and of a compaction that is near.

        None: nothing is owed, and none is near, or it was told of.
        """
        options = self.options
        owed = self.surfacing.owed(_tell(emit)) if self._reminds else ()
        said = [reminder(owed)] if owed else []
        near = coming(self._ledger.knowledge.warned) if self._reminds and options.surface else None
        if near is not None:
            emit("canon", do="warned", before=near)
            said.append(FAREWELL)
        return "\n".join(said) or None

    # For people

    def status(self) -> str:
        """How much is kept where, and what of it the session has seen (``/canon``)."""
        return self.surfacing.status().text

    def settings(self, words: str) -> str:
        """Show the options, or one; with a value: set it for this session (``/canon settings surface off``).

        Raises CanonError (``unknown_option``, ``bad_option``): nothing was changed.
        """
        key, _, value = words.strip().partition(" ")
        if key and value.strip():
            held = checked_setting(key, typed_setting(value.strip()))
            with self._recorder.transaction("canon") as emit:
                emit("canon", do="set", key=key, value=held)
        elif key:
            checked_setting(key, getattr(self.options, key, None))
        shown = {name: getattr(self.options, name) for name in IN_SETTINGS if key in ("", name)}
        own = self._ledger.knowledge.options
        return "\n".join(
            f"{name} = {_shown(held)}{' (this session)' if name in own else ''}" for name, held in shown.items()
        )


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return str(getattr(value, "name", value))


def _tell(emit: Emit) -> Tell:
    return lambda data: emit("canon", **data)
