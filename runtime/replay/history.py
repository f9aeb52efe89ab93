"""The slots and calls of a recording, in the order of its requests: what every policy chooses from.

It is built once, by a run that keeps everything: the request of a call then is a leading part of the slots.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, Literal

from ...compiler.load import load_program
from ..hosts.recording import Recording, Reply, Usage
from ..kernel.content import Call, Content, Text, parse_object
from ..session import Request
from ..values import Format
from ..view.build import UnitView
from ..view.unit import Shown
from .calls import Replayed
from .run import replay
from .tools import old_text_of, path_read

#: Everything stays: the measure of every other policy.
KEEP_EVERYTHING = {
    "name": "keep-everything",
    "life_cycle": {
        element: ["born", None] for element in ("user", "assistant", "think", "toolCall", "toolResult", "recall")
    },
}

Kind = Literal["user", "reply", "result", "other"]


@dataclass(frozen=True, slots=True)
class PastSlot:
    """A slot of the recording.

    ``text``: what may be looked for in it ("" for thinking): the texts of a message or a result, each string
    argument of a call.
    """

    id: str
    kind: Kind
    tokens: int
    text: str


@dataclass(frozen=True, slots=True)
class PastCall:
    """A call of the recording. ``held``: how many slots its request held; ``typed``: the last one that was typed.

    ``usage``: as the provider said; ``edits``: the texts that its reply wanted to replace; ``rereads``: for each
    read of a path that was read before, the slot of the newest result of it; ``dropped``: how many leading slots a
    compaction of the host had taken away.
    """

    ordinal: int
    turn: int
    held: int
    typed: int
    usage: Usage
    edits: tuple[str, ...]
    rereads: tuple[int, ...]
    dropped: int


@dataclass(frozen=True, slots=True)
class History:
    """A recording as slots and calls. ``users`` and ``results`` are sets of slots (see calls.py).

    ``sums``: the tokens of the first n slots, for every n; ``cuts``: the slots at which a request may begin
    without an orphan result or half a reply.
    """

    slots: tuple[PastSlot, ...]
    calls: tuple[PastCall, ...]
    users: int
    results: int
    sums: tuple[int, ...]
    cuts: tuple[int, ...]

    @property
    def ids(self) -> tuple[str, ...]:
        """The id of every slot."""
        return tuple(slot.id for slot in self.slots)


def read_history(recording: Recording, format: Format = "openai") -> tuple[History, Replayed]:
    """The history of a recording, and the run that kept everything (its prefixes are those of the format)."""
    reading = _Reading(recording)
    kept = replay(recording, load_program(KEEP_EVERYTHING), format=format, watch=reading.watch)
    return reading.history(), kept


class _Reading:
    """Looks on while everything is kept."""

    def __init__(self, recording: Recording) -> None:
        self._folder = recording.cwd or ""
        self._compactions = recording.compactions
        self._slots: list[PastSlot] = []
        self._calls: list[PastCall] = []
        self._starts: list[int] = []
        self._cuts: list[int] = []
        self._units = 0
        self._newest: dict[str, int] = {}

    def watch(self, request: Request, reply: Reply, items: int) -> None:
        """Take down one call; ``items`` is how many recorded items came before its reply."""
        for view in request.views[self._units :]:
            self._look(view)
        self._units = len(request.views)
        held = len(self._slots)
        typed = next((i for i in reversed(range(held)) if self._slots[i].kind == "user"), 0)
        # Where a cut before each item would fall: an item that is no reply counts as the message typed.
        self._starts += [typed] * (items - len(self._starts)) + [held]
        calls = [(call.name, parse_object(call.arguments) or {}) for call in reply.calls]
        paths = [path_read(name, args, self._folder) for name, args in calls]
        self._calls.append(
            PastCall(
                request.ordinal,
                request.turn,
                held,
                typed,
                reply.usage,
                tuple(text for name, args in calls if (text := old_text_of(name, args)) is not None),
                tuple(self._newest[path] for path in paths if path is not None and path in self._newest),
                self._dropped(items),
            )
        )

    def history(self) -> History:
        """All that was seen."""
        sums = tuple(accumulate((slot.tokens for slot in self._slots), initial=0))
        users, results = self._all("user"), self._all("result")
        return History(tuple(self._slots), tuple(self._calls), users, results, sums, tuple(self._cuts))

    def _all(self, kind: Kind) -> int:
        return sum(1 << bit for bit, slot in enumerate(self._slots) if slot.kind == kind)

    def _dropped(self, items: int) -> int:
        """The slots that the host's last compaction before this call took away."""
        kept = [one.first_kept for one in self._compactions if one.at <= items]
        return self._starts[kept[-1]] if kept else 0

    def _look(self, view: UnitView) -> None:
        """The slots of a unit: one lone slot, or a reply's own and then the results of its calls."""
        self._cuts.append(len(self._slots))
        own = len(view.unit.shown)
        rendered = (*view.unit.shown, *view.unit.results)
        for i, (visible, shown) in enumerate(zip(view.visible, rendered, strict=True)):
            kind: Kind = "result" if i >= own else _kind_of(shown)
            text = "" if shown.element == "think" else "\n".join(_texts(shown.content))
            self._slots.append(PastSlot(visible.slot, kind, visible.tokens, text))
        first_result = len(self._slots) - len(view.unit.results)
        for i, call in enumerate(view.unit.calls):
            path = path_read(call.call.name, parse_object(call.call.arguments) or {}, self._folder)
            if path is not None:
                self._newest[path] = first_result + i


def _kind_of(shown: Shown) -> Kind:
    if shown.element == "user":
        return "user"
    return "reply" if shown.role == "assistant" else "other"


def _texts(content: Content) -> Iterator[str]:
    """The texts in a content; of a tool call each string argument, nested ones too."""
    if isinstance(content, str):
        yield content
        return
    for part in content:
        if isinstance(part, Text):
            yield part.text
        elif isinstance(part, Call):
            yield from _strings(parse_object(part.arguments))


def _strings(value: Any) -> Iterator[str]:
    match value:
        case str():
            yield value
        case dict():
            for item in value.values():
                yield from _strings(item)
        case list():
            for item in value:
                yield from _strings(item)
