"""Runs rules over a recorded session: what would each call have held, and at what cost (contracts.md)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from ...compiler.program import Program
from ..kernel.clock import ManualClock
from ..kernel.content import Content, Opaque, Text
from ..session import Reply as SessionReply
from ..session import Request, Session, ToolCall, Usage
from .recording import Entry, Recording, Reply, ToolResult, Turn, UserMessage

Format = Literal["openai", "anthropic", "pi"]

#: What a kept prefix token and any other prompt token cost (contracts.md, ``dcc replay``).
KEPT_COST = 0.1
FRESH_COST = 1.25

#: Stands for a result that the recording lacks although the session went on.
UNRECORDED = "(no result was recorded)"

#: Everything stays: the measure of every other policy.
KEEP_EVERYTHING = {
    "name": "keep-everything",
    "life_cycle": {
        element: ["born", None] for element in ("user", "assistant", "think", "toolCall", "toolResult", "recall")
    },
}


@dataclass(frozen=True, slots=True)
class ReplayedCall:
    """One call: its place, the slots on stage in order, tokens of it and of the part kept."""

    ordinal: int
    turn: int
    visible: tuple[str, ...]
    tokens: int
    prefix_kept: int


@dataclass(frozen=True, slots=True)
class Replayed:
    """A recording under one program. ``unread_removed``: results gone before any request held them."""

    policy: str
    calls: tuple[ReplayedCall, ...]
    user_verbatim: bool
    unread_removed: int
    skipped: int

    @property
    def prompt_tokens(self) -> int:
        """Prompt tokens of all calls."""
        return sum(call.tokens for call in self.calls)

    @property
    def peak(self) -> int:
        """Tokens of the largest prompt."""
        return max((call.tokens for call in self.calls), default=0)

    @property
    def prefix_kept(self) -> int:
        """Tokens of leading messages equal to the request before, over all calls."""
        return sum(call.prefix_kept for call in self.calls)

    @property
    def cost(self) -> float:
        """Prompt cost in units of one uncached token: a kept prefix 0.1, the rest 1.25."""
        return KEPT_COST * self.prefix_kept + FRESH_COST * (self.prompt_tokens - self.prefix_kept)


def replay(recording: Recording, program: Program, *, format: Format = "openai") -> Replayed:
    """Run ``recording`` under ``program``; nothing recorded is read as a patch or a command."""
    session = Session.create(program, folder=recording.cwd or "", clock=ManualClock())
    run = _Run(session, format)
    for turn in recording.turns:
        run.turn(turn)
    return Replayed(program.name, tuple(run.calls), run.user_verbatim, run.unread_removed, run.skipped)


@dataclass(slots=True)
class _Run:
    session: Session
    format: Format
    calls: list[ReplayedCall] = field(default_factory=list)
    user_verbatim: bool = True
    unread_removed: int = 0
    skipped: int = 0
    _typed: int = 0
    _waiting: list[str] = field(default_factory=list)
    _unread: set[str] = field(default_factory=set)

    def turn(self, turn: Turn) -> None:
        """One recorded turn. What a host put in beside messages is born when the turn is over."""
        user = turn.user
        replies = [step for step in turn.steps if isinstance(step, Reply)]
        if user is not None and replies:
            self.session.begin(user.content, typed=False)
            self._typed += 1
            for step in turn.steps:
                if isinstance(step, Reply):
                    self._reply(step, user, first=step is replies[0])
                elif isinstance(step, ToolResult):
                    self._result(step)
            self._end()
        else:
            self.skipped += sum(not isinstance(step, Entry) for step in turn.steps)
            if user is not None:
                # A message that was never answered is no turn, yet later requests hold it.
                self.session.add_entry("user", user.content)
                self._typed += 1
        for step in turn.steps:
            if isinstance(step, Entry):
                self.session.add_entry(step.element, step.content)

    def _end(self) -> None:
        """Commit the turn; a tool loop that was cut leaves it interrupted."""
        if self._waiting:
            self.session.abort()
        else:
            self.session.commit()
        self._waiting.clear()

    def _reply(self, reply: Reply, user: UserMessage, *, first: bool) -> None:
        for call_id in tuple(self._waiting):
            self._answer(call_id, UNRECORDED, True)
        request = self.session.request(self.format)
        self._note(request)
        if first and not _holds(request, user.content):
            self.user_verbatim = False
        usage = reply.usage
        self.session.add_reply(
            SessionReply(
                text=reply.text,
                thinking=_thinking(reply.thinking),
                calls=tuple(ToolCall(call.id, call.name, call.arguments) for call in reply.calls),
                usage=Usage(usage.input, usage.output, usage.cache_read, usage.cache_write),
            )
        )
        self._waiting = [call.id for call in reply.calls]

    def _result(self, result: ToolResult) -> None:
        if result.call_id in self._waiting:
            self._answer(result.call_id, result.content, result.is_error)
        else:
            self.skipped += 1

    def _answer(self, call_id: str, content: Content, is_error: bool) -> None:
        self.session.start_tool(call_id)
        self._unread.add(self.session.add_result(call_id, content, is_error))
        self._waiting.remove(call_id)

    def _note(self, request: Request) -> None:
        """Take down what a request holds."""
        full = {slot.slot for slot in request.visible if slot.how == "full" and slot.on_stage}
        self.unread_removed += len(self._unread - full)
        self._unread.clear()
        shown = sum(slot.element == "user" and slot.slot in full for slot in request.visible)
        self.user_verbatim = self.user_verbatim and shown == self._typed
        visible = tuple(slot.slot for slot in request.visible if slot.on_stage)
        self.calls.append(ReplayedCall(request.ordinal, request.turn, visible, request.tokens, request.prefix_kept))


def _thinking(thinking: Content) -> str | tuple[Opaque, ...]:
    """Recorded thinking is text, or the provider's own parts."""
    if isinstance(thinking, str):
        return thinking
    return tuple(part for part in thinking if isinstance(part, Opaque))


def _holds(request: Request, content: Content) -> bool:
    """Whether some message of role user holds every text of ``content`` word for word."""
    wanted = [content] if isinstance(content, str) else [p.text for p in content if isinstance(p, Text)]
    typed = [_text(message) for message in request.messages if message["role"] == "user"]
    return all(any(text in shown for shown in reversed(typed)) for text in wanted)


def _text(message: dict[str, Any]) -> str:
    content = message["content"]
    if isinstance(content, str):
        return content
    return "\n".join(part["text"] for part in content if "text" in part)
