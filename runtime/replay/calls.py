"""What one policy made of a recording, call by call.

Sets of slots are whole numbers: bit *i* stands for slot *i* of :class:`~.history.History`, and a slot that only
this policy bore has a bit behind those. A session of thousands of slots and calls so stays small.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Call:
    """One request. ``tokens`` of it and of the leading messages that equal the request before.

    ``shown``: the slots on stage; ``full``: those of them in their full form.
    """

    ordinal: int
    turn: int
    tokens: int
    prefix_kept: int
    shown: int
    full: int


@dataclass(frozen=True, slots=True)
class Replayed:
    """A recording under one policy.

    ``slots``: the id of every bit. ``user_verbatim``: whether every message that was typed is in every later
    request, word for word. ``restorable``: whether all that was offloaded came back byte for byte. ``skipped``:
    recorded steps that no request could hold (results without a call).
    """

    policy: str
    calls: tuple[Call, ...]
    slots: tuple[str, ...]
    user_verbatim: bool
    restorable: bool
    skipped: int = 0

    def names(self, slots: int) -> tuple[str, ...]:
        """The ids of a set of slots."""
        return tuple(self.slots[bit] for bit in bits_of(slots))


def bits_of(slots: int) -> Iterator[int]:
    """The members of a set of slots, ascending."""
    while slots:
        lowest = slots & -slots
        yield lowest.bit_length() - 1
        slots ^= lowest
