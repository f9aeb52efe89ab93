"""The pruning step of a session: what the planner asks before a call (kernel.md section 4; runtime spec, section 5).

The ledger notes when the cache was last used, with each reply; what pruning decides by that time is in the events of
what it does. It counts by the one counter, against the window.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from ...compiler.program import Program
from ..governance.planner import TOUCHED
from ..kernel.changes import representing
from ..kernel.clock import Clock
from ..kernel.content import Content, Image, content_hash, decode, text_of
from ..kernel.reading import was_held
from ..kernel.representation import stand_in
from ..kernel.retirement import is_spared
from ..kernel.slots import Slot
from ..kernel.tokens import count_tokens
from ..recorder import Recorder
from ..requests import Requests
from ..view.build import Visible
from .pruning import Act, Entry, PruningPlan, PruningSettings, Size, State, plan_pruning, pruning_settings
from .window import DEFAULT_WINDOW


def cache_pruning(
    program: Program, recorder: Recorder, requests: Requests, clock: Clock, window: int | None
) -> CachePruning | None:
    """The pruning step of a program; None where it has none. ``window``: in tokens, None where nobody knows it."""
    settings = pruning_settings(program.sections.get("pruning"))
    if settings is None:
        return None
    return CachePruning(settings, recorder, requests, clock, window or DEFAULT_WINDOW)


@dataclass(frozen=True, slots=True)
class CachePruning:
    """Proposes what to prune once the cache is cold."""

    settings: PruningSettings
    recorder: Recorder
    requests: Requests
    clock: Clock
    window: int

    def now(self) -> float:
        """The time at which the cache is used, in seconds since 1970."""
        return self.clock.now()

    def propose(self) -> Proposed | None:
        """What would be pruned now; None: nothing. While the cache is warm this costs nothing."""
        touched = (self.recorder.ledger.calibration or {}).get(TOUCHED)
        now = self.clock.now()
        if touched is None or now - touched < self.settings.ttl_s:
            return None
        plan = plan_pruning(
            list(self._entries()), self.settings, self.window, now=now, touched=touched, short=self._short
        )
        return Proposed(self, plan) if plan is not None else None

    def note(self, slot: Slot, act: Act) -> str:
        """What stands before the address of a pruned result."""
        return self.settings.placeholder if act == "clear" else self.settings.trimmed(text_of(self._content(slot)))

    def _entries(self) -> Iterator[Entry]:
        slots = self.recorder.ledger.slots

        def reply(shown: Visible) -> tuple[int, int] | str:
            slot = slots[shown.slot]
            return (slot.turn, slot.call) if slot.is_reply else slot.id

        for _, group in groupby(self.requests.on_stage(), reply):
            first, *more = group
            slot, size = slots[first.slot], first.tokens + sum(shown.tokens for shown in more)
            if slot.is_reply:
                yield Entry(slot.id, "assistant", size)
            elif slot.is_result:
                yield self._result(slot, first)
            else:
                yield Entry(slot.id, "user" if slot.element == "user" else "other", size)

    def _result(self, slot: Slot, shown: Visible) -> Entry:
        if slot.is_purged:
            return Entry(slot.id, "result", shown.tokens, state="spared")
        content = self._content(slot)
        state = self._state(slot, shown, content)
        text = text_of(content)
        length = len(self.settings.trimmed(text)) if state == "trimmed" else len(text)
        return Entry(slot.id, "result", shown.tokens, length, state)

    def _state(self, slot: Slot, shown: Visible, content: Content) -> State:
        ledger = self.recorder.ledger
        tool = slot.link.tool if slot.link is not None else ""
        keeps = slot.marks.keeps if slot.marks is not None else ()
        has_image = not isinstance(content, str) and any(isinstance(part, Image) for part in content)
        if (
            not shown.on_stage or has_image or not self.settings.may_prune(tool) or is_spared(ledger, slot)
            or any(keep.until is None for keep in keeps) or not was_held(ledger, slot)
        ):  # fmt: skip
            return "spared"
        if shown.how == "full":
            return "full"
        # Whatever else made a result shorter knew why; only what was trimmed here goes on to be cleared.
        was_trimmed = slot.shape.note == content_hash(self.settings.trimmed(text_of(content)))
        return "trimmed" if shown.how == "ref" and was_trimmed else "spared"

    def _short(self, entry: Entry, act: Act) -> Size | None:
        slot = self.recorder.ledger.slots[entry.slot]
        note = self.note(slot, act)
        text = stand_in(self._content(slot), "ref", slot.digest.hex(), note=note)
        # With no room for the note there is only the address: that is clearing, and no trim.
        if text is None or (act == "trim" and not text.startswith(note)):
            return None
        return Size(count_tokens(text), len(text))

    def _content(self, slot: Slot) -> Content:
        return decode(self.recorder.content(slot.digest))


@dataclass(frozen=True, slots=True)
class Proposed:
    """What would be pruned (``governance.planner.Proposal``)."""

    pruning: CachePruning
    plan: PruningPlan

    @property
    def freed(self) -> int:
        """Tokens that it frees."""
        return self.plan.before - self.plan.after

    @property
    def tail(self) -> int:
        """Tokens behind its first change."""
        return self.plan.behind

    @property
    def is_cold(self) -> bool:
        """The cache has nothing left that a change could cost."""
        return True

    def carry_out(self) -> str:
        """Do it, as one transaction of cause ``pruning``, and say what it was."""
        recorder, plan = self.pruning.recorder, self.plan
        since = -(recorder.last_request + 1)
        with recorder.transaction("pruning") as emit:
            acts: tuple[tuple[Act, tuple[str, ...]], ...] = (("trim", plan.trimmed), ("clear", plan.cleared))
            for act, slots in acts:
                for slot_id in slots:
                    slot = recorder.ledger.slots[slot_id]
                    note = recorder.keep_content(self.pruning.note(slot, act)).hex()
                    emit("represented", **representing(slot, "ref", since, note), at=plan.at)
            message = (
                f"the cache is cold after {plan.idle_s / 60:,.0f} minutes. Old results trimmed: {len(plan.trimmed)}, "
                f"cleared: {len(plan.cleared)}, about {self.freed:,} tokens fewer; "
                f"/cpat undo #{recorder.ledger.transaction} brings them back"
            )
            emit("notice", code="pruned", message=message)
        return message
