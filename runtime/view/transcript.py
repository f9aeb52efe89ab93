"""Transcripts: the rendered request of one format, kept from call to call.

Units are rendered once. A request re-reads only what lies behind the first unit that changed, and says how
much of the request before it still is a prefix of this one (kernel.md section 6, P3 and P9).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable
from typing import Any, Literal, NamedTuple

from ..kernel.slots import Position
from . import anthropic, openai, pi
from .build import UnitView
from .unit import Message, Rendered

Format = Literal["openai", "anthropic", "pi"]

_RENDERERS: dict[str, Any] = {"openai": openai, "anthropic": anthropic, "pi": pi}


class Item(NamedTuple):
    """What prefixes are compared by: a message, or one block of it with its role (anthropic)."""

    role: str
    body: Message
    tokens: int
    key: Position


class Prefix(NamedTuple):
    """How much of the request before is kept.

    ``tokens`` of the kept items; ``changed``: the first changed message, and ``key`` the unit that stands there
    now (both None when nothing changed).
    """

    tokens: int
    changed: int | None
    key: Position | None


class Transcript:
    """The rendered units of one format, in order."""

    def __init__(self, format: Format, view: Callable[[Position], UnitView]) -> None:
        self.format = format
        self._view = view
        self._messages_of = _RENDERERS[format].messages_of
        self._assemble = _RENDERERS[format].assemble
        self._keys: list[Position] = []
        self._rendered: dict[Position, list[Message]] = {}
        self._items: list[Item] = []
        #: The messages of the items, the tokens before each; the units, the slots before each: no call adds up anew.
        self._bodies: list[Message] = []
        self._sums: list[int] = [0]
        self._views: list[UnitView] = []
        self._held: list[int] = [0]
        self._starts: list[int] = []
        self._sent: list[Item] | None = None
        self._same = 0

    def update(self, keys: list[Position], dirty: Iterable[Position]) -> None:
        """Follow the stage: ``keys`` are its units now, ``dirty`` those that changed since the last update."""
        first: Position | None = None
        for key in dirty:
            self._rendered.pop(key, None)
            first = key if first is None or key < first else first
        if first is None:
            return
        at = bisect_left(self._keys, first)
        start = self._starts[at] if at < len(self._starts) else len(self._items)
        del self._keys[at:], self._starts[at:], self._items[start:], self._bodies[start:], self._sums[start + 1 :]
        del self._views[at:], self._held[at + 1 :]
        self._same = min(self._same, start)
        for key in keys[at:]:
            self._starts.append(len(self._items))
            view = self._view(key)
            self._views.append(view)
            self._held.append(self._held[-1] + len(view.visible))
            for item in self._items_of(key, view):
                self._items.append(item)
                self._bodies.append(item.body)
                self._sums.append(self._sums[-1] + item.tokens)
        self._keys.extend(keys[at:])

    def request(self) -> Rendered:
        """The request: messages, and the top field where the format has one."""
        if self.format == "anthropic":
            rendered: Rendered = self._assemble([self._rendered[key] for key in self._keys])
            return rendered
        return Rendered(self._bodies.copy())

    def tokens(self) -> int:
        """The tokens of the request, by the one counter."""
        return self._sums[-1]

    def views(self) -> tuple[UnitView, ...]:
        """The units of the request, in order."""
        return tuple(self._views)

    def slots(self) -> int:
        """How many slots the request holds."""
        return self._held[-1]

    def prefix(self) -> Prefix:
        """What is kept of the last request that was sent."""
        sent = self._sent or []
        now = self._arranged()
        same = self._same if self.format != "anthropic" else 0
        same = min(same, len(sent), len(now))
        while same < len(sent) and same < len(now) and _equal(sent[same], now[same]):
            same += 1
        tokens = self._sums[same] if now is self._items else sum(item.tokens for item in now[:same])
        if same == len(sent):
            return Prefix(tokens, None, None)
        key = now[same].key if same < len(now) else (now[-1].key if now else None)
        return Prefix(tokens, self._message_index(now, same), key)

    def index_of(self, key: Position) -> int | None:
        """The index of the message at which a unit begins, or would; None behind the last request that was sent."""
        sent = self._sent or ()
        if self.format != "anthropic":
            at = bisect_left(self._keys, key)
            start = self._starts[at] if at < len(self._starts) else len(self._items)
            return start if start < len(sent) else None
        now = self._arranged()
        start = next((n for n, item in enumerate(now) if item.role != "system" and item.key >= key), len(now))
        return self._message_index(now, start) if start < min(len(sent), len(now)) else None

    def sent(self) -> None:
        """Remember this request: its call is complete."""
        self._sent = self._arranged().copy()
        self._same = len(self._items)

    def _items_of(self, key: Position, view: UnitView) -> list[Item]:
        messages = self._rendered.get(key)
        if messages is None:
            messages = self._rendered[key] = self._messages_of(view.unit)
        if self.format == "anthropic":
            bodies = [(m["role"], block) for m in messages for block in m["content"]]
        else:
            bodies = [(m["role"], m) for m in messages]
        weights = _weights(view, len(bodies))
        return [Item(role, body, tokens, key) for (role, body), tokens in zip(bodies, weights, strict=True)]

    def _arranged(self) -> list[Item]:
        """The items in the order of the request: Anthropic's top field comes first."""
        if self.format != "anthropic":
            return self._items
        top = [item for item in self._items if item.role == "system"]
        rest = [item for item in self._items if item.role != "system"]
        if rest and rest[0].role != "user":
            rest.insert(0, Item("user", {"type": "text", "text": anthropic.OPENING}, 0, rest[0].key))
        return top + rest

    def _message_index(self, now: list[Item], item: int) -> int:
        if self.format != "anthropic":
            return item
        roles = [i.role for i in now[: item + 1] if i.role != "system"]
        return max(0, sum(1 for a, b in zip(["", *roles], roles, strict=False) if a != b) - 1)


def _equal(a: Item, b: Item) -> bool:
    return a.body is b.body or (a.role == b.role and a.body == b.body)


def _weights(view: UnitView, items: int) -> list[int]:
    """The tokens of a unit, laid on its items: one slot an item, or the reply's own slots on the first."""
    slots = [v.tokens for v in view.visible]
    own = len(view.unit.shown)
    if items == len(slots):
        return slots
    if items == 1 + len(slots) - own:
        return [sum(slots[:own]), *slots[own:]]
    return [0] * (items - 1) + [sum(slots)] if items else []
