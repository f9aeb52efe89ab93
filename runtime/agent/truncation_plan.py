"""The plan of truncation: which tool results are too large for the window, alone or together (runtime spec, 3.1). Pure.

A step of the overflow ladder. What stands in a result's place shows its head and its tail, says how much is left out
and where all of it is, and is never longer than what it stands for (issue 107704). A result is measured in characters,
as the original does, and in tokens by the one counter: 100,000 characters of Chinese are no 25,000 tokens.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from ..governance.cutting import Room, Short, Shorten

#: Of the window, what one result may take, in percent (spec 3.1: SHARE).
SHARE: Final = 30

#: Characters of a token where the original counts in characters, and the most that a result may have (spec 3.1).
CHARACTERS_A_TOKEN: Final = 4
HARD_MAX: Final = 400_000

#: Of the window, what all that is on stage may take before results are cut further, in percent (spec 3.3).
TOGETHER: Final = 75

#: What such a result keeps (spec 3.1: MIN_KEEP); in any script a character is less than two tokens.
LEAST: Final = Room(4_000, 2_000)


@dataclass(frozen=True, slots=True)
class Result:
    """A result on stage that may be cut, as the next request has it."""

    slot: str
    characters: int
    tokens: int


class Cut(NamedTuple):
    """A result and what would stand in its place."""

    slot: str
    short: Short


def room_of(window: int) -> Room:
    """What one result may have in a window of so many tokens."""
    tokens = window * SHARE // 100
    return Room(tokens, min(tokens * CHARACTERS_A_TOKEN, HARD_MAX))


def is_oversized(result: Result, room: Room) -> bool:
    """Whether a result has more than the room; as much is not too much."""
    return result.characters > room.characters or result.tokens > room.tokens


def plan_truncation(results: Sequence[Result], used: int, window: int, shorten: Shorten) -> tuple[Cut, ...]:
    """What is cut of results, in order of position, in a request of ``used`` tokens.

    First every result that is too large by itself. If the request is over its share of the window then, results are
    cut to the least, the oldest first, until it is not: many of middle size are as much as a large one.
    """
    room = room_of(window)
    made: dict[str, Short] = {}
    for result in results:
        short = shorten(result.slot, room) if is_oversized(result, room) else None
        if short is not None and short.tokens < result.tokens:
            made[result.slot] = short
            used -= result.tokens - short.tokens
    for result in results:
        if used * 100 <= window * TOGETHER:
            break
        before = made[result.slot].tokens if result.slot in made else result.tokens
        short = shorten(result.slot, LEAST) if is_oversized(result, LEAST) else None
        if short is not None and short.tokens < before:
            made[result.slot] = short
            used -= before - short.tokens
    return tuple(Cut(result.slot, made[result.slot]) for result in results if result.slot in made)
