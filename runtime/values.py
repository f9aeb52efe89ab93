"""The values that go in and out of a session."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple

from ..grammar.ast import Mode
from .errors import SessionError
from .kernel.content import Content, Opaque
from .view.build import UnitView, Visible, flatten
from .view.transcript import Format
from .view.unit import Message

__all__ = [
    "Begun", "Format", "GovernanceFlags", "Happenings", "HostCompaction", "QueuedPatch", "Reply", "ReplyPiece",
    "Request", "Resumed", "Served", "ToolCall", "Usage", "Visible",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool call of a reply: the provider's id, the tool's name, its arguments (JSON text or a mapping)."""

    id: str
    name: str
    arguments: Any


@dataclass(frozen=True, slots=True)
class Usage:
    """What a provider reported for one call, in tokens; ``input`` is without what a cache served or took in.

    ``exact``: the report speaks of this one request as it was sent: not of several calls, one that was sent twice or
    broke off, or one that the server edited. Only exact reports teach how long prompts are; and more may have been
    billed than one that is not exact says. ``total``: the provider's own, where it is not the sum of the others.
    """

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0
    exact: bool = True
    total: int = 0

    @property
    def prompt(self) -> int:
        """The length of the whole prompt, cached or not."""
        return self.input + self.cache_read + self.cache_write


#: A piece of a reply: its kind, and the thinking, the text, or the index of the tool call among ``Reply.calls``.
ReplyPiece = (
    tuple[Literal["think"], str | tuple[Opaque, ...]] | tuple[Literal["text"], str] | tuple[Literal["call"], int]
)


@dataclass(frozen=True, slots=True)
class Reply:
    """A model's reply to one request. ``thinking`` is text, or the provider's own (signed) parts.

    ``elements``, (name, content) each, and ``pins`` are what the answer said beside its text: they are borne behind
    the call, the elements first (spec/dynamiccontext.md sections 14 and 16).

    ``pieces``: thinking, text and calls in the order in which they came, where that is another one than thinking,
    text, calls: a provider that signs its thinking wants it back where it stood. Each is then a slot of its own.
    """

    text: str = ""
    thinking: str | tuple[Opaque, ...] = ""
    calls: tuple[ToolCall, ...] = ()
    usage: Usage | None = None
    elements: tuple[tuple[str, str], ...] = ()
    pins: tuple[str, ...] = ()
    pieces: tuple[ReplyPiece, ...] = ()


@dataclass(frozen=True, slots=True)
class GovernanceFlags:
    """What the person or the host says of governance for one session, beside the ruleset.

    ``max_context`` and ``window`` in tokens: no request is longer, as far as reducing it can prevent that. ``allow``:
    gates that are open besides; ``on``: it is switched on or off.
    ``reserve``: tokens that stay free for the answer where the ruleset writes none.
    ``recovers``: after an overflow the host has results reduced, so the model is given a tool to look them up.
    ``canon_read_only``: the project's knowledge is read and never written, and nothing reminds of writing it.
    Raises SessionError (``bad_flags``) for what is no whole number of tokens, and for gates that are no set of names.
    """

    max_context: int | None = None
    window: int | None = None
    reserve: int = 0
    allow: frozenset[str] = frozenset()
    on: bool | None = None
    recovers: bool = False
    canon_read_only: bool = False

    def __post_init__(self) -> None:
        for name, least in _TOKENS.items():
            value = getattr(self, name)
            is_number = isinstance(value, int) and not isinstance(value, bool) and value >= least
            if not is_number and (value is not None or name == "reserve"):
                expected = f"a whole number of tokens, {least} or more"
                raise _bad_flag(name, value, expected, _HELP.get(name, "leave it out"))
        if not isinstance(self.allow, Set) or not all(isinstance(gate, str) for gate in self.allow):
            raise _bad_flag("allow", self.allow, "a set of names of gates", 'write for example frozenset({"replace"})')


#: The flags that are tokens, and the least that each may be.
_TOKENS: Final = {"max_context": 1, "window": 1, "reserve": 0}
_HELP: Final = {
    "max_context": "leave it out, or write a share of the window in the ruleset: governance: {max_context: 85%}",
    "window": "leave it out where nobody knows the model's",
}


def _bad_flag(name: str, value: object, expected: str, help: str) -> SessionError:
    return SessionError("bad_flags", f"the flag {name} is {value!r}, expected {expected}", help=help)


class Begun(NamedTuple):
    """What a message came to: a turn, a command (with its answer), or a bare patch (queued, no turn).

    ``content``: what the user's slot of the turn holds, and ``text`` that as plain text.
    """

    kind: Literal["turn", "command", "bare"]
    turn: int | None = None
    text: str | None = None
    output: str | None = None
    error: str | None = None
    content: Content | None = None


class Served(NamedTuple):
    """A tool call that dcc answered itself: the slot of its result, what it says, whether it is an error."""

    slot: str
    content: Content
    is_error: bool


class Resumed(NamedTuple):
    """An open turn taken up again: the tools still to run, and those that got an ``interrupted`` result.

    ``answered``: its last reply asked for no tool, so all that is left to do is to commit it.
    """

    turn: int | None
    pending: tuple[ToolCall, ...] = ()
    interrupted: tuple[str, ...] = ()
    answered: bool = False


#: Why a host would compact by itself.
HOST_REASONS: Final = ("manual", "threshold", "overflow")


class HostCompaction(NamedTuple):
    """The answer to a host that is about to compact by itself.

    ``cancel``: it need not, since the request fits again. Else it goes on, with this ``summary`` or (None) its own.
    """

    cancel: bool
    summary: str | None = None


class QueuedPatch(NamedTuple):
    """A content patch that waits for its turn; ``turns`` None is ``none``."""

    element: str
    content: str
    mode: Mode
    turns: int | None
    at: int


class Happenings(NamedTuple):
    """What happened since it was last asked: changes of stage and representation, breaks, notices.

    ``opened`` and ``closed``: (slot, place, cause); ``changed``: (slot, from, to, cause); ``breaks``: (call,
    index of the first changed message, cause); ``notices``: (code, message). ``compactions``: summaries that gained.
    """

    opened: tuple[tuple[str, int | str | None, str], ...] = ()
    closed: tuple[tuple[str, int | str | None, str], ...] = ()
    changed: tuple[tuple[str, str, str, str], ...] = ()
    breaks: tuple[tuple[int, int, str], ...] = ()
    notices: tuple[tuple[str, str], ...] = ()
    compactions: int = 0


@dataclass(frozen=True, slots=True)
class Request:
    """What the model gets. Messages are shared with later requests: copy one before changing it.

    ``system`` is Anthropic's top field (else empty); ``tokens`` are counted by the one counter;
    ``prefix_kept`` are the tokens of the leading messages that equal the request before. ``tail``: the volatile last
    message, of ``tail_tokens`` that are not among ``tokens``; ``body``: the messages without it (kernel.md section 5).
    ``slots``: how many there are in ``visible``.
    """

    turn: int
    call: int
    ordinal: int
    format: Format
    messages: list[Message]
    system: list[Message]
    tokens: int
    prefix_kept: int
    views: tuple[UnitView, ...]
    body: list[Message]
    tail: Message | None = None
    tail_tokens: int = 0
    slots: int = 0

    @property
    def visible(self) -> tuple[Visible, ...]:
        """The slots of the request, in order."""
        return flatten(self.views)
