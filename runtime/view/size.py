"""The size of a request in bytes: what ``compact.overload_threshold_bytes`` is compared with."""

from __future__ import annotations

import json
from typing import NamedTuple

from ..kernel.slots import Position
from . import openai
from .build import UnitView

_ENCODE = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


class Size(NamedTuple):
    """Messages, and their bytes as compact JSON in UTF-8 (format openai)."""

    messages: int = 0
    bytes: int = 0

    @property
    def as_list(self) -> int:
        """The bytes of the whole list: brackets, and a comma between two messages."""
        return self.bytes + 2 + max(0, self.messages - 1)


def size_of(view: UnitView) -> Size:
    """The size of one unit."""
    messages = openai.messages_of(view.unit)
    return Size(len(messages), sum(len(_ENCODE(message).encode("utf-8", "surrogatepass")) for message in messages))


class Sizes:
    """The size of all units on stage, kept from request to request."""

    def __init__(self) -> None:
        self.total = Size()
        self._of: dict[Position, Size] = {}

    def put(self, key: Position, view: UnitView | None) -> None:
        """A unit changed; None: it left."""
        new = size_of(view) if view is not None else Size()
        self.total = exchanged(self.total, self.of(key), new)
        if view is not None:
            self._of[key] = new
        else:
            self._of.pop(key, None)

    def of(self, key: Position) -> Size:
        """The size of one unit."""
        return self._of.get(key, Size())


def exchanged(total: Size, old: Size, new: Size) -> Size:
    """A total with one unit's old size replaced by its new one."""
    return Size(total.messages - old.messages + new.messages, total.bytes - old.bytes + new.bytes)
