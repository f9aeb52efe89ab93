"""Calls: settle, reply, tools, results, commit, abort, resume (kernel.md section 3).

The reply is stored before its first tool starts, each tool start and each result when it happens, and a call
is complete when all results are there.
"""

from __future__ import annotations

from collections.abc import Iterator

from .accepting import accepted_content, accepted_reply
from .births import Births, ToolFacts
from .errors import SessionError
from .governance.planner import Planner
from .kernel.content import Call, Content, decode, parse_object
from .kernel.keys import findable
from .kernel.slots import AFTER_RESULTS, CALL, Link, Slot
from .memory.reply import Reply as CanonReply
from .memory.surfacing.in_session import SessionCanon
from .recorder import Emit, Recorder
from .requests import Requests
from .values import Reply, ReplyPiece, Resumed, ToolCall

#: What a tool call is answered with when nobody will ever know its result.
INTERRUPTED = "[interrupted: the tool was stopped before it gave a result]"


class Calls:
    """Carries the calls of a turn into the ledger."""

    def __init__(
        self,
        recorder: Recorder,
        births: Births,
        requests: Requests,
        planner: Planner,
        canon: SessionCanon | None = None,
    ) -> None:
        self._canon = canon
        self._recorder = recorder
        self._births = births
        self._requests = requests
        self._planner = planner
        self._ledger = recorder.ledger

    def settle(self) -> None:
        """Do what is due before a request goes out; what one that has gone out holds is not changed."""
        self._need_ready()
        if not self._recorder.in_flight:
            self._planner.before_call()
        if not self._recorder.is_staged:
            self._recorder.write()

    def add_reply(self, reply: Reply) -> tuple[str, ...]:
        """See ``Session.add_reply``."""
        reply = accepted_reply(reply)
        self.settle()
        self._recorder.in_flight = False
        ledger = self._ledger
        broken = self._requests.next_break()
        number = ledger.call + 1
        with self._recorder.transaction("call") as emit:
            if broken is not None:
                emit("break", cause=broken.cause, call=broken.call, index=broken.message)
            born = self._bear_reply(emit, reply, number)
            beside = self._bear_beside(emit, reply, number)
            calls = [s for s in born if s.element == "toolCall"]
            usage = reply.usage
            emit(
                "reply", call=number, pieces=len(born),
                calls=[[s.id, c.id] for s, c in zip(calls, reply.calls, strict=True)],
                usage=None if usage is None else [usage.input, usage.output, usage.cache_read, usage.cache_write],
            )  # fmt: skip
            if self._canon is not None:
                self._canon.called(emit, [(slot.id, self._call_of(slot)) for slot in calls])
            self._planner.after_reply(emit, usage)
            self._requests.completed()
            if not calls:
                self._complete(emit)
        self._recorder.write()
        return tuple(slot.id for slot in (*born, *beside))

    def start_tool(self, call_id: str) -> None:
        """See ``Session.start_tool``."""
        slot_id = self._waiting_call(call_id, started=False)
        with self._recorder.transaction("call") as emit:
            emit("tool_started", slot=slot_id)
        self._recorder.write()

    def waiting(self, call_id: str) -> Call:
        """The tool call that a host means by an id and that was not started yet. Raises ``unknown_call``."""
        return self._call_of(self._ledger.slots[self._waiting_call(call_id, started=False)])

    def waiting_slot(self, call_id: str) -> str:
        """The toolCall slot of that call. Raises ``unknown_call``."""
        return self._waiting_call(call_id, started=False)

    def add_result(self, call_id: str, content: Content, is_error: bool, served: CanonReply | None = None) -> str:
        """See ``Session.add_result``. ``served``: the reply of canon that the result tells."""
        content = accepted_content(content, "a tool's result")
        slot_id = self._waiting_call(call_id, started=None)
        with self._recorder.transaction("call") as emit:
            born = self._bear_result(emit, slot_id, content, is_error, served)
        self._recorder.write()
        return born

    def commit(self) -> None:
        """See ``Session.commit``."""
        self._need_ready()
        if self._recorder.is_staged or self._ledger.call == 0:
            raise SessionError("no_reply", f"turn {self._ledger.turn} has no reply yet", help="add one, or abort")
        self._tell_missing()
        self._close("turn_committed")

    def _tell_missing(self) -> None:
        """A notice for each element that the ruleset requires of a turn and this one did not bear."""
        ledger = self._ledger
        for element in self._births.program.required_elements:
            born = ledger.by_element.get(element) or [""]
            if not born[-1] or ledger.slots[born[-1]].turn != ledger.turn:
                with self._recorder.transaction("notice") as emit:
                    emit("notice", code="required_missing", message=(
                        f"turn {ledger.turn} has no {element}, which context.required_elements asks of every turn"
                    ))  # fmt: skip

    def abort(self) -> None:
        """Close the open turn as interrupted (see ``Session.abort``)."""
        if self._ledger.reply is not None:
            with self._recorder.transaction("call") as emit:
                for slot_id in self._ledger.reply.pending(self._ledger.result_of):
                    self._bear_result(emit, slot_id, INTERRUPTED, True)
        self._close("turn_interrupted")

    def resume(self) -> Resumed:
        """See ``Session.resume``."""
        ahead, reply = self.outlook(), self._ledger.reply
        if reply is not None and ahead.interrupted:
            with self._recorder.transaction("call") as emit:
                for slot_id in reply.pending(self._ledger.result_of):
                    if slot_id in reply.started:
                        self._bear_result(emit, slot_id, INTERRUPTED, True)
            self._recorder.write()
        return ahead

    def outlook(self) -> Resumed:
        """See ``Session.outlook``."""
        ledger = self._ledger
        reply = ledger.reply
        if reply is None:
            if not ledger.is_open:
                return Resumed(None)
            named = (ledger.slots[i] for i in reversed(ledger.by_element.get("toolCall", [])))
            last = next((slot for slot in named if slot.is_call), None)
            asked = last is not None and (last.turn, last.call) == (ledger.turn, ledger.call)
            return Resumed(ledger.turn, answered=ledger.call > 0 and not asked)
        pending = reply.pending(ledger.result_of)
        return Resumed(
            ledger.turn,
            tuple(self._tool_call(reply.calls[i], ledger.slots[i]) for i in pending if i not in reply.started),
            tuple(reply.calls[i] for i in pending if i in reply.started),
        )

    # Births

    def _bear_reply(self, emit: Emit, reply: Reply, number: int) -> list[Slot]:
        """The slots of a reply: thinking, text, tool calls. A reply without anything has an empty text."""
        pieces: list[tuple[str, Content, Link | None, ToolFacts | None]] = []
        loop = Link() if reply.calls else None
        wires: set[str] = set()
        tried: dict[str, int] = {}
        for kind, value in reply.pieces or _in_order(reply):
            if isinstance(value, int):
                call = reply.calls[value]
                link = Link(self._wire(call.id, wires, tried), call.name)
                content = Call(call.id, call.name, call.arguments)
                pieces.append(("toolCall", (content,), link, _facts(content, False)))
            elif kind == "think":
                pieces.append(("think", value, loop, None))
            else:
                pieces.append(("assistant", value, None, None))
        ordinal = self._ledger.ordinal + 1
        return [
            self._births.bear(
                emit, element, body,
                turn=self._ledger.turn, phase=CALL, call=number, seq=seq, shown_from=ordinal + 1,
                superseded_end=-ordinal, link=link, facts=facts,
            )
            for seq, (element, body, link, facts) in enumerate(pieces)
        ]  # fmt: skip

    def _bear_beside(self, emit: Emit, reply: Reply, number: int) -> list[Slot]:
        """The slots of what a reply said beside its text: elements, then pins, behind the results of its tools."""
        ordinal, first = self._ledger.ordinal + 1, self._ledger.last_pin + 1
        pins = ((f"pin_model_p{first + n:02d}", text) for n, text in enumerate(reply.pins))
        return [
            self._births.bear(
                emit, element, content,
                turn=self._ledger.turn, phase=CALL, call=number, seq=AFTER_RESULTS, shown_from=ordinal + 1,
                superseded_end=-ordinal,
            )
            for element, content in (*reply.elements, *pins)
        ]  # fmt: skip

    def _bear_result(
        self, emit: Emit, slot_id: str, content: Content, is_error: bool, served: CanonReply | None = None
    ) -> str:
        """Bear the result of a toolCall slot; completes the call if it was the last one."""
        ledger = self._ledger
        reply = ledger.reply
        assert reply is not None
        call = ledger.slots[slot_id]
        link = call.link or Link()
        seq = reply.pieces + list(reply.calls).index(slot_id)
        ordinal = ledger.ordinal + 1
        born = self._births.bear(
            emit, "toolResult", content,
            turn=ledger.turn, phase=CALL, call=reply.call, seq=seq, shown_from=ordinal + 1,
            superseded_end=-ordinal, link=Link(link.wire, link.tool, slot_id, is_error),
            facts=_facts(self._call_of(call), is_error),
        )  # fmt: skip
        if self._canon is not None:
            self._canon.answered(emit, (slot_id, self._call_of(call)), born.id, is_error, served)
        if not reply.waits(ledger.result_of):
            self._complete(emit)
        return born.id

    def _complete(self, emit: Emit) -> None:
        asked = list(self._ledger.reply.calls) if self._ledger.reply is not None else []
        emit("call_completed", cause="call", ordinal=self._ledger.ordinal + 1)
        self._recorder.advance()
        if self._canon is not None:
            self._canon.completed(emit, [self._call_of(self._ledger.slots[slot_id]) for slot_id in asked])

    def _close(self, kind: str) -> None:
        self._recorder.in_flight = False
        with self._recorder.transaction("turn") as emit:
            emit(kind, turn=self._ledger.turn, sum=f"{self._recorder.hash.total:064x}")
        self._recorder.write()

    def _wire(self, call_id: str, taken: set[str], tried: dict[str, int]) -> str:
        """The id that providers will see: the call's own, made unique in the session by the call's ordinal.

        ``tried``: how far each id has got in this reply, so that thousands of equal ids cost no more than others.
        """
        base = findable(call_id) or "call"
        n = tried.get(base, 0)
        wire = base
        while wire in self._ledger.wires or wire in taken:
            n += 1
            wire = f"{base}_{self._ledger.ordinal + 1}" + (f"_{n}" if n > 1 else "")
        taken.add(wire)
        tried[base] = n
        return wire

    # Guards

    def _need_ready(self) -> None:
        """The next request may go out: a turn is open and no result is missing."""
        if not self._ledger.is_open:
            raise SessionError("no_open_turn", "no turn is open", help="begin one with a message")
        if self._ledger.reply is not None:
            missing = [self._ledger.reply.calls[i] for i in self._ledger.reply.pending(self._ledger.result_of)]
            raise SessionError(
                "results_missing", f"no result yet for tool call {', '.join(missing)}",
                help="add the results, or abort the turn",
            )  # fmt: skip

    def _waiting_call(self, call_id: str, *, started: bool | None) -> str:
        """The toolCall slot that the host means: the first with this id that has no result."""
        reply = self._ledger.reply
        answered = self._ledger.result_of
        known = ""
        if reply is not None:
            passed_over = reply.started if started is False else ()
            for slot_id, known_id in reply.calls.items():
                if known_id == call_id and slot_id not in answered and slot_id not in passed_over:
                    return slot_id
            if any(reply.calls[i] == call_id and i not in answered for i in passed_over):
                raise SessionError("unknown_call", f"tool call {call_id!r} has started already", help="add its result")
            known = ", ".join(reply.calls[i] for i in reply.pending(answered))
        raise SessionError(
            "unknown_call", f"no tool call {call_id!r} waits for this", help=f"waiting: {known or 'none'}"
        )

    def _tool_call(self, call_id: str, slot: Slot) -> ToolCall:
        call = self._call_of(slot)
        return ToolCall(call_id, call.name, call.arguments)

    def _call_of(self, slot: Slot) -> Call:
        if slot.is_purged:
            # Nobody knows its arguments any more.
            return Call("", slot.link.tool if slot.link is not None else "", "{}")
        content = decode(self._recorder.content(slot.digest))
        for part in content if not isinstance(content, str) else ():
            if isinstance(part, Call):
                return part
        raise SessionError("damaged_ledger", f"{slot.id} holds no tool call")


def _facts(call: Call, is_error: bool) -> ToolFacts:
    return ToolFacts(call.name, parse_object(call.arguments) or {}, is_error)


def _in_order(reply: Reply) -> Iterator[ReplyPiece]:
    """The pieces of a reply that says nothing of their order."""
    if reply.thinking:
        yield "think", reply.thinking
    if reply.text or not reply.calls:
        yield "text", reply.text
    for index in range(len(reply.calls)):
        yield "call", index
