"""Session: the face of the runtime (kernel.md section 7).

    with Session.create(program, system="You are brief.") as session:
        session.begin("hello /goal 翻译 remain 3")
        request = session.request("openai")
        session.add_reply(Reply("ok"))
        session.commit()

A turn is begun by a message, goes through one or more calls (request, reply, results), and is committed. The
call is the unit of durability: what was acknowledged is in the store before the next thing happens.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import TracebackType
from typing import Any

from ..compiler.program import Program
from ..compiler.program_json import dump_program
from ..grammar.message import parse_message
from .accepting import accepted_content, accepted_labels, check_beginning, is_blank
from .acknowledging import acknowledge_purges
from .agent.cache_pruning import cache_pruning
from .agent.truncation_step import Truncating
from .awaited import causes_since_reply
from .births import Births
from .calls import Calls
from .commands import carry_out
from .compaction.compactor import Compactor
from .compaction.compressors import Compressor
from .compaction.extractive import ExtractiveCompressor
from .errors import SessionError, with_help
from .folding import fold
from .governance.budget.limits import limits_of
from .governance.governance import Governance
from .governance.planner import Planner
from .governance.recovery import Recovery, Rung
from .governance.tags import without_tags
from .governing import Governing
from .kernel.clock import Clock, SystemClock
from .kernel.content import Content, Image, Text, decode, text_of
from .kernel.events import FORMAT_VERSION
from .kernel.hashing import StateHash
from .kernel.ledger import Ledger
from .kernel.retirement import Retirement
from .kernel.slots import PATCH
from .kernel.stage import Stage
from .memory.canon import Canon
from .memory.surfacing.in_session import SessionCanon, canon_of
from .opening import Opening
from .recall.lines import Recalled
from .recall.recall import Recall
from .recorder import Recorder
from .requests import Requests
from .saving import Saving
from .serving import Serving
from .settling import Settling
from .starting import starting_slots
from .store.interface import Store
from .store.memory import MemoryStore
from .values import (
    Begun,
    Format,
    GovernanceFlags,
    Happenings,
    HostCompaction,
    QueuedPatch,
    Reply,
    Request,
    Resumed,
    Served,
    ToolCall,
    Usage,
    Visible,
)  # fmt: skip

__all__ = [
    "Begun", "GovernanceFlags", "Happenings", "HostCompaction", "QueuedPatch", "Recalled", "Reply", "Request",
    "Resumed", "Served", "Session", "SessionError", "ToolCall", "Usage", "Visible",
]  # fmt: skip

#: Changes of stage that are remembered for a host that never asks what happened.
_REMEMBERED = 10_000


class Session(Governing):
    """One session over one ledger. Make it with :meth:`create` or :meth:`open`."""

    def __init__(
        self,
        program: Program,
        recorder: Recorder,
        clock: Clock,
        compressor: Compressor | None = None,
        flags: GovernanceFlags | None = None,
        canon: Canon | None = None,
    ) -> None:
        self._flags = flags = flags or GovernanceFlags()
        requests = Requests(recorder, program)
        settling = Settling(recorder, program, requests)
        births = self._births = Births(recorder, program)
        super().__init__(program, recorder, births, requests, settling)
        self._clock = clock
        self._recall = Recall(recorder, program)
        reads_only = flags.canon_read_only
        canon = canon or canon_of(program, recorder.ledger.folder, clock, read_only=reads_only)
        self._canon = None
        if canon is not None:
            self._canon = SessionCanon(canon, recorder, births, clock, reminds=not reads_only)
        self._compactor = Compactor(
            recorder, births, program, requests, settling, compressor or ExtractiveCompressor()
        )
        limits = limits_of(program, max_context=flags.max_context, window=flags.window, reserve=flags.reserve)
        known = flags.window if limits is None or limits.window is None else limits.window
        pruning = cache_pruning(program, recorder, requests, self._clock, known)
        self._planner = Planner(recorder, program, requests, settling, self._compactor, limits, pruning)
        self._opening = Opening(births, self._recall, self._canon, self._coming_compaction)
        truncating = Truncating(recorder, program, requests)
        self._recovery = Recovery(self._planner, self._compactor, truncating, limits, known)
        self._governance = Governance(recorder, program, births, requests, self._planner, flags)
        requests.tail = self._governance.tail
        self._calls = Calls(recorder, births, requests, self._planner, self._canon)
        self._serving = Serving(self._calls, self._recall, self._governance, self._canon)
        self._causes_before: dict[Any, str] = {}

    @classmethod
    def create(
        cls,
        program: Program,
        *,
        store: Store | None = None,
        system: str | Sequence[str] | None = None,
        folder: str = "",
        clock: Clock | None = None,
        compressor: Compressor | None = None,
        flags: GovernanceFlags | None = None,
        canon: Canon | None = None,
        late: bool = False,
    ) -> Session:
        """Begin a session in an empty store (default: in memory).

        ``system`` becomes the turn-0 system slot, or several (default: the ruleset's ``runtime.system``); ``folder``
        is what relative paths of keys are relative to; ``compressor`` makes the summaries of compaction (default: one
        that needs no model); ``flags``: what the person says of governance; ``canon``: the project's knowledge, in
        place of what the ruleset's ``canon`` section asks for in that folder (else: in the current one). ``late``:
        the store stays empty until a model has replied, or a bare patch or a command has changed something.
        Raises StoreError when the store is not empty, SessionError: ``bad_program``, ``bad_store``, ``bad_flags``.
        """
        check_beginning(program, store, flags)
        ledger = Ledger()
        store = store or MemoryStore()
        hash = StateHash(ledger, 0)
        saving = Saving(store, ledger, hash, None)
        recorder = Recorder(store, ledger, _stage(ledger, program, store), hash, saving)
        recorder.is_late = late
        ledger.folder = folder
        session = cls(program, recorder, clock or SystemClock(), compressor, flags, canon)
        with recorder.transaction("session") as emit:
            compiled = recorder.keep_content(dump_program(program)).hex()
            emit("session", format=FORMAT_VERSION, program=program.digest, compiled=compiled, folder=folder)
            for element, content in starting_slots(program, system):
                session._births.bear(
                    emit, element, content, turn=0, phase=PATCH, shown_from=1, superseded_end=0
                )
        if session._flags.on is not None:
            session.governance.switch(session._flags.on)
        recorder.write()
        return session

    @classmethod
    def open(
        cls,
        store: Store,
        program: Program,
        *,
        clock: Clock | None = None,
        compressor: Compressor | None = None,
        flags: GovernanceFlags | None = None,
        canon: Canon | None = None,
    ) -> Session:
        """Take a stored session up again, by folding its events from the last snapshot on.

        Raises SessionError (``empty_store``, ``bad_program``, ``bad_store``, ``bad_flags``), SnapshotError
        (``unknown_snapshot``).
        """
        check_beginning(program, store, flags)
        ledger, hash, saving = fold(store)
        recorder = Recorder(store, ledger, _stage(ledger, program, store), hash, saving)
        before = ledger.seq
        acknowledge_purges(recorder)
        session = cls(program, recorder, clock or SystemClock(), compressor, flags, canon)
        session._seen = before
        if session._flags.on is not None:
            session.govern(session._flags.on)
        return session

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Take back a turn whose first call has no reply, leave a snapshot, and close the store."""
        if self._recorder.is_staged:
            self.fail("left")
        self._recorder.close()

    # The life of a turn

    def begin(
        self,
        text: Content,
        *,
        labels: Mapping[str, Any] | None = None,
        typed: bool = True,
        verbatim: bool = False,
        images: tuple[Image, ...] = (),
    ) -> Begun:
        """Take a message: a turn, a command, or a bare patch. One that begins a turn aborts an open one first.

        ``typed``: a person typed it; what a host says of its own accord (a reminder, a nudge) is not what the person
        asked last. ``verbatim``: a person's, yet it is the text of a turn as it stands. Patches and commands are read
        from neither a host's nor a verbatim one. ``labels`` are those of a labelled dataset. ``images`` go beside the
        text of a turn. Raises SessionError (``empty_message``, ``bad_content``, ``bad_labels``); a command that
        cannot be carried out is answered in ``Begun.error``. A message that is refused changes nothing. What a
        command or a bare patch does before the first reply of a turn is taken back with it, if that turn fails.
        """
        text, labels = accepted_content(text, "a message"), accepted_labels(labels)
        acknowledge_purges(self._recorder)
        is_read = typed and not verbatim
        message = parse_message(text, self.program.vocabulary) if is_read and isinstance(text, str) else None
        faults = [f for f in message.findings if f.severity == "error"] if message is not None else []
        if faults:
            return Begun("command", error=faults[0].code, output=with_help(faults[0].message, faults[0].help))
        if is_blank(text) if message is None else message.is_empty:
            raise SessionError("empty_message", "the message is empty", help="type something")
        if self.is_open and (message is None or (message.command is None and message.text is not None)):
            self.abort()
        del self._recorder.stage.flips[:-_REMEMBERED]
        if message is None:
            return self._begin_turn(text, labels, typed=typed)
        if message.command is not None:
            self._notice([(f.code, with_help(f.message, f.help)) for f in message.findings])
            before = self._recorder.ledger.seq
            try:
                output = carry_out(self, message.command)
            except SessionError as error:
                return Begun("command", error=error.code, output=with_help(error.message, error.help))
            if self._recorder.ledger.seq > before:
                self._recorder.be_there()
            return Begun("command", output=output)
        self._notice([(f.code, with_help(f.message, f.help)) for f in message.findings])
        queued = []
        for patch in message.patches:
            at, _ = self._patching.queue_patch(patch.element, patch.content, patch.mode, patch.turns)
            queued.append(f"{patch.element} is due at turn {at}")
        self._written(None)
        if message.text is None:
            self._recorder.be_there()
            return Begun("bare", output="; ".join(queued))
        return self._begin_turn((Text(message.text), *images) if images else message.text, labels)

    def _begin_turn(self, content: Content, labels: Mapping[str, Any] | None, *, typed: bool = True) -> Begun:
        self._planner.before_turn(content)
        acknowledge_purges(self._recorder)  # a summary may have taken minutes
        self._causes_before = self._requests.causes()
        self._recorder.begin_staging()
        self._opening.open(content, labels, self._clock.now(), typed=typed)
        return Begun("turn", turn=self.turn, text=text_of(content), content=content)

    def request(self, format: Format = "openai") -> Request:
        """What the next call sends. What is due is settled first.

        Raises SessionError: ``no_open_turn``, ``results_missing``.
        """
        acknowledge_purges(self._recorder)
        self._requests.use(format)
        self._calls.settle()
        self._recorder.in_flight = True
        request = self._requests.request(format)
        self._planner.tail = request.tail_tokens
        return request

    def add_reply(self, reply: Reply) -> tuple[str, ...]:
        """The model's reply to the request. It is in the store when this returns.

        Returns the ids of the slots it bore. Without tool calls the call is complete. Raises SessionError:
        ``no_open_turn``, ``results_missing``, ``bad_reply``, ``bad_content``, ``bad_call``.
        """
        if self._governance.is_on and isinstance(reply, Reply) and isinstance(reply.text, str):
            reply = replace(reply, text=without_tags(reply.text))
        borne = self._calls.add_reply(reply)
        self._recorder.be_there()
        self._governance.replied()
        return borne

    def start_tool(self, call_id: str) -> None:
        """Say that a tool starts; it will not be started twice. Raises SessionError (``unknown_call``)."""
        self._calls.start_tool(call_id)

    def add_result(self, call_id: str, content: Content, is_error: bool = False) -> str:
        """A tool's result; the call is complete with the last one. Returns the id of its slot.

        Raises SessionError (``unknown_call``).
        """
        return self._calls.add_result(call_id, content, is_error)

    def serve(self, call_id: str) -> Served | None:
        """Answer a waiting tool call whose tool dcc itself serves (``Serving``); None: the host runs it.

        Raises SessionError (``unknown_call``).
        """
        return self._serving.serve(call_id)

    def commit(self) -> None:
        """Commit the open turn, and compact old ones if it is time.

        Raises SessionError: ``no_open_turn``, ``results_missing``, ``no_reply``; then nothing is committed.
        """
        self._calls.commit()
        self._compactor.after_turn()
        self._written(None)

    def fail(self, reason: str) -> None:
        """The request in progress got no reply. On call 1 the turn is taken back; later it stays open."""
        self._recorder.in_flight = False
        if self._recorder.is_staged:
            self._recorder.take_back()
            self._requests.taken_back(self._causes_before)

    def abort(self) -> None:
        """Close the open turn as interrupted; tool calls without a result get one that says so."""
        if self._recorder.is_staged:
            self.fail("aborted")
        elif self.is_open:
            self._calls.abort()

    def resume(self) -> Resumed:
        """Take an open turn up again after a crash.

        A tool that had started is not run again: it gets an ``interrupted`` result. Those that had not are
        returned, to be run. Without an open turn nothing is done.
        """
        acknowledge_purges(self._recorder)
        return self._calls.resume()

    def outlook(self) -> Resumed:
        """What :meth:`resume` would give. Nothing is done."""
        return self._calls.outlook()

    def recover(self, rung: Rung) -> bool:
        """After a provider's overflow: one step of the ladder; whether it gained anything (see ``Recovery``)."""
        return self._written(self._recovery.recover(rung))

    def _notice(self, notices: list[tuple[str, str]]) -> None:
        if notices:
            with self._recorder.transaction("notice") as emit:
                for code, message in notices:
                    emit("notice", code=code, message=message)
            self._written(None)


def _stage(ledger: Ledger, program: Program, store: Store) -> Stage:
    """The stage of a ledger; what may be retired has been written, so its content is in the store."""
    retirement = Retirement(ledger, program, lambda slot: decode(store.content(slot.digest)))
    return Stage(ledger, retirement, causes_since_reply(store, ledger.seq))
