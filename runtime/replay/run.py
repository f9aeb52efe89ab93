"""Runs a program over a recorded session, as a host would have (contracts.md, ``dcc replay``)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ...compiler.program import Program
from ..hosts.pairing import paired
from ..hosts.recording import Entry, Recording, Reply, ToolResult, Turn, UserMessage
from ..kernel.clock import ManualClock
from ..kernel.content import Content, Opaque, Text
from ..memory.surfacing.in_session import canon_of
from ..session import Reply as SessionReply
from ..session import Request, Session, ToolCall, Usage
from ..store.memory import MemoryStore
from ..values import Format
from ..view.build import UnitView
from .calls import Call, Replayed
from .restoring import comes_back

#: Stands for a result that the recording lacks although the session went on.
UNRECORDED = "(no result was recorded)"

#: What looks on: the request of a call, the reply to it, and how many recorded items came before that reply.
Watch = Callable[[Request, Reply, int], None]


def replay(
    recording: Recording,
    program: Program,
    *,
    slots: tuple[str, ...] = (),
    format: Format = "openai",
    watch: Watch | None = None,
) -> Replayed:
    """Run ``recording`` under ``program``; nothing recorded is read as a patch or a command.

    ``slots``: the ids that have a bit already, so that policies can be compared; ``watch`` sees every call.
    """
    run = _run(recording, program, format, watch, slots)
    restorable = all(comes_back(run.store, *pair) for pair in run.reduced.values())
    return Replayed(program.name, tuple(run.calls), tuple(run.bits), run.user_verbatim, restorable, run.skipped)


def session_of(recording: Recording, program: Program, store: MemoryStore | None = None) -> Session:
    """The session that the recording becomes under ``program``, after its last turn; in ``store``, if one is given."""
    return _run(recording, program, "openai", None, (), store).session


def _run(
    recording: Recording,
    program: Program,
    format: Format,
    watch: Watch | None,
    slots: tuple[str, ...],
    store: MemoryStore | None = None,
) -> _Run:
    store = store or MemoryStore()
    folder, clock = recording.cwd or "", ManualClock()
    # What is only played over again never opens a store of canon for writing.
    canon = canon_of(program, folder, clock, read_only=True)
    session = Session.create(program, store=store, folder=folder, clock=clock, canon=canon)
    run = _Run(session, store, format, watch, {slot: bit for bit, slot in enumerate(slots)})
    for turn in paired(recording).turns:
        run.turn(turn)
    return run


@dataclass(frozen=True, slots=True)
class _Seen:
    """A unit of a request as sets of slots; the view is held so that its identity stays its own."""

    view: UnitView
    shown: int
    full: int


@dataclass(slots=True)
class _Run:
    session: Session
    store: MemoryStore
    format: Format
    watch: Watch | None
    bits: dict[str, int]
    calls: list[Call] = field(default_factory=list)
    reduced: dict[str, tuple[Content, Content]] = field(default_factory=dict)
    user_verbatim: bool = True
    skipped: int = 0
    _items: int = 0
    _typed: int = 0
    _new: list[str] = field(default_factory=list)
    _waiting: list[str] = field(default_factory=list)
    _recorded: dict[str, Content] = field(default_factory=dict)
    _seen: dict[int, _Seen] = field(default_factory=dict)

    def turn(self, turn: Turn) -> None:
        """One recorded turn. What a host put in beside messages is born when the turn is over."""
        user = turn.user
        replies = [step for step in turn.steps if isinstance(step, Reply)]
        begins = user is not None and bool(replies)
        if user is not None:
            self._user(user, begins=begins)
        for step in turn.steps:
            self._items += 1
            if isinstance(step, Reply) and begins:
                self._reply(step, user, first=step is replies[0])
            elif isinstance(step, ToolResult) and step.call_id in self._waiting:
                self._answer(step.call_id, step.content, step.is_error)
            elif not isinstance(step, Entry):
                self.skipped += 1
        if begins:
            self._end()
        for step in turn.steps:
            if isinstance(step, Entry):
                self.session.add_entry(step.element, step.content)

    def _user(self, user: UserMessage, *, begins: bool) -> None:
        """What was typed. A message that was never answered is no turn, yet later requests hold it."""
        self._items += 1
        if begins:
            slot = f"user@{self.session.begin(user.content, verbatim=True).turn}"
        else:
            slot = self.session.add_entry("user", user.content)
        self._new.append(slot)

    def _end(self) -> None:
        """Commit the turn; a tool loop that was cut leaves it interrupted."""
        if self._waiting:
            self.session.abort()
        else:
            self.session.commit()
        self._waiting.clear()

    def _reply(self, reply: Reply, user: UserMessage | None, *, first: bool) -> None:
        for call_id in tuple(self._waiting):
            self._answer(call_id, UNRECORDED, True)
        request = self.session.request(self.format)
        self._note(request)
        if first and user is not None and not _holds(request, user.content):
            self.user_verbatim = False
        if self.watch is not None:
            self.watch(request, reply, self._items - 1)
        usage = reply.usage
        born = self.session.add_reply(
            SessionReply(
                text=reply.text,
                thinking=_thinking(reply.thinking),
                calls=tuple(ToolCall(call.id, call.name, call.arguments) for call in reply.calls),
                usage=Usage(usage.input, usage.output, usage.cache_read, usage.cache_write),
            )
        )
        for slot, call in zip(born[len(born) - len(reply.calls) :], reply.calls, strict=True):
            self._recorded[slot] = (call,)
        self._waiting = [call.id for call in reply.calls]

    def _answer(self, call_id: str, content: Content, is_error: bool) -> None:
        self.session.start_tool(call_id)
        self._recorded[self.session.add_result(call_id, content, is_error)] = content
        self._waiting.remove(call_id)

    def _note(self, request: Request) -> None:
        """Take down what a request holds."""
        shown = full = 0
        for view in request.views:
            seen = self._seen.get(id(view))
            if seen is None:
                seen = self._seen[id(view)] = self._look(view)
            shown |= seen.shown
            full |= seen.full
        for slot in self._new:
            self._typed |= 1 << self._bit(slot)
        self._new.clear()
        self.user_verbatim = self.user_verbatim and not self._typed & ~full
        self.calls.append(Call(request.ordinal, request.turn, request.tokens, request.prefix_kept, shown, full))

    def _look(self, view: UnitView) -> _Seen:
        shown = full = 0
        for visible, rendered in zip(view.visible, (*view.unit.shown, *view.unit.results), strict=True):
            bit = 1 << self._bit(visible.slot)
            if not visible.on_stage:
                continue
            shown |= bit
            if visible.how == "full":
                full |= bit
            elif visible.slot in self._recorded:
                self.reduced[visible.slot] = (self._recorded[visible.slot], rendered.content)
        return _Seen(view, shown, full)

    def _bit(self, slot: str) -> int:
        return self.bits.setdefault(slot, len(self.bits))


def _thinking(thinking: Content) -> str | tuple[Opaque, ...]:
    """Recorded thinking is text, or the provider's own parts."""
    if isinstance(thinking, str):
        return thinking
    return tuple(part for part in thinking if isinstance(part, Opaque))


def _holds(request: Request, content: Content) -> bool:
    """Whether some message of role user holds every text of ``content`` word for word."""
    wanted = [content] if isinstance(content, str) else [p.text for p in content if isinstance(p, Text)]
    typed = [_text(message) for message in request.body if message["role"] == "user"]
    return all(any(text in shown for shown in reversed(typed)) for text in wanted)


def _text(message: Mapping[str, Any]) -> str:
    content = message["content"]
    if isinstance(content, str):
        return content
    return "\n".join(part["text"] for part in content if "text" in part)
