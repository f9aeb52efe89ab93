"""Looking at a session: stage, ranges, queue, past calls, causes, happenings. Nothing here changes anything."""

from __future__ import annotations

from ..compiler.program import Program
from .artifacts import read_artifact
from .errors import SessionError
from .kernel.content import Content, decode, text_of
from .kernel.places import show_place
from .kernel.ranges import ranges_of
from .kernel.records import Spending
from .recorder import Recorder
from .requests import Requests
from .settling import Settling
from .values import Format, Happenings, QueuedPatch, Visible
from .view.unit import Message
from .why import Cause, causes_of


class Looking:
    """The part of a session that only reads."""

    def __init__(self, program: Program, recorder: Recorder, requests: Requests, settling: Settling) -> None:
        self.program = program
        self._recorder = recorder
        self._requests = requests
        self._settling = settling
        self._seen = recorder.ledger.seq

    @property
    def turn(self) -> int:
        """The last committed turn, or the open one."""
        return self._recorder.ledger.turn

    @property
    def ordinal(self) -> int:
        """The completed calls of the session."""
        return self._recorder.ledger.ordinal

    @property
    def is_open(self) -> bool:
        """Whether a turn has begun and is neither committed nor interrupted."""
        return self._recorder.ledger.is_open

    @property
    def is_stored(self) -> bool:
        """Whether the session is in its store: a late one is not before something was said in it."""
        return self._recorder.is_stored

    def stage(self) -> tuple[str, ...]:
        """The ids that one more request would hold, in order (what is due would be settled first)."""
        stage, slots = self._recorder.stage, self._recorder.ledger.slots
        leaving = self._settling.leaving()
        staying: list[str] = []
        for slot_id in stage.slots_on():
            link = slots[slot_id].link
            if slot_id not in leaving and (link is None or link.answers not in leaving):
                staying.append(slot_id)
        return tuple(staying)

    def stubs(self) -> tuple[str, ...]:
        """The ids of results off stage that one more request would hold as stubs, for it holds their calls."""
        staged, staying = self._recorder.stage, self.stage()
        results = (self._recorder.ledger.result_at(slot_id, staged.turn, staged.ordinal) for slot_id in staying)
        here = set(staying)
        return tuple(result.id for result in results if result is not None and result.id not in here)

    def ranges(self) -> dict[str, list[list[int | str | None]]]:
        """The ranges of every slot, by id in the order of birth. Costs O(history)."""
        ledger = self._recorder.ledger
        return {slot.id: ranges_of(ledger, slot) for slot in ledger.slots.values()}

    def queue(self) -> tuple[QueuedPatch, ...]:
        """The patches that wait for their turn."""
        return tuple(
            QueuedPatch(p.element, self._text(bytes.fromhex(p.digest)), p.mode, p.turns, p.at)
            for p in self._recorder.ledger.queue
        )

    def last_text(self, element: str) -> str:
        """The text of the newest slot of an element; blank when there is none."""
        slots = self._recorder.ledger.slots
        newest = slots[ids[-1]] if (ids := self._recorder.ledger.by_element.get(element)) else None
        return "" if newest is None or newest.is_purged else self._text(newest.digest)

    @property
    def spending(self) -> Spending:
        """What the session's replies have used so far, over all runs of it."""
        return self._recorder.ledger.spending

    def state_hash(self) -> str:
        """The hash of the state (kernel.md section 3), in hex."""
        return self._recorder.hash.value()

    def artifact(self, address: str) -> Content:
        """The exact content behind an ``artifact://`` address (see ``artifacts.read_artifact``)."""
        return read_artifact(self._recorder.store, address)

    def messages(self, format: Format = "openai") -> list[Message]:
        """What is on stage as messages, Anthropic's top field left out: as one more request would send it now."""
        return self._requests.messages(format)

    def tokens(self, format: Format = "openai") -> int:
        """The tokens of what is on stage as messages of that format, by the one counter."""
        return self._requests.tokens(format)

    def slots_on_stage(self) -> int:
        """How many slots are on stage now."""
        return len(self._recorder.stage.shown)

    def projection(self, ordinal: int) -> tuple[Visible, ...]:
        """What a past call's request held. Raises SessionError (``unknown_call``)."""
        if not 0 < ordinal <= self.ordinal:
            raise SessionError("unknown_call", f"no call #{ordinal}", help=f"calls run from 1 to {self.ordinal}")
        return self._requests.past(ordinal)

    def why(self, slot: str, turn: int | None = None) -> list[Cause]:
        """The causes of what happened to a slot, up to a turn. Raises SessionError (``unknown_slot``)."""
        if slot not in self._recorder.ledger.slots:
            near = self._recorder.ledger.by_element.get(slot.partition("@")[0], [])[-3:]
            newest = near or list(self._recorder.ledger.slots)[-3:]
            of = "of that element" if near else "of all"
            help = f"newest {of}: {', '.join(newest)}" if newest else "no slot is born yet"
            raise SessionError("unknown_slot", f"no slot {slot}", help=help)
        return causes_of(self._recorder, self.program, slot, turn)

    def take_happenings(self) -> Happenings:
        """What happened since this was last asked."""
        recorder = self._recorder
        if recorder.is_staged:
            return Happenings()
        flips, recorder.stage.flips = recorder.stage.flips, []
        news = list(recorder.events(self._seen))
        self._seen = recorder.ledger.seq
        return Happenings(
            tuple((f.slot, show_place(f.at), f.cause) for f in flips if f.before is None),
            tuple((f.slot, show_place(f.at), f.cause) for f in flips if f.after is None),
            tuple((f.slot, f.before, f.after, f.cause) for f in flips if f.before and f.after),
            tuple((e.data["call"], e.data["index"], e.cause) for e in news if e.kind == "break"),
            tuple((e.data["code"], recorder.message_of(e)) for e in news if e.kind == "notice"),
            sum(e.kind == "compaction_passed" and e.data["gained"] for e in news),
        )

    def _text(self, digest: bytes) -> str:
        return text_of(decode(self._recorder.content(digest)))
