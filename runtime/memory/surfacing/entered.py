"""Articles that calls of the tool bring into a conversation, whole or in part."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Entered:
    """An article that a call of the tool brought into the conversation.

    ``parts``: its capsule and body, as far as they came with it; in a result other things may stand between them.
    ``by_result``: they stand in the result of the call, else in its arguments.
    """

    address: str
    base: str
    parts: tuple[str, ...]
    by_result: bool
    wrote: bool

    @property
    def chars(self) -> int:
        """What it costs."""
        return len("\n".join(self.parts))


def parts_of(given: Mapping[str, object]) -> tuple[str, ...]:
    """Capsule and body of a call's arguments, or of the data of a reply, as far as they are given."""
    return tuple(part for name in ("capsule", "body") if isinstance(part := given.get(name), str) and part)
