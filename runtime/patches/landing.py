"""Which queued patches land at a turn, and which leave the queue (language.md section 3, modes). Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from ...compiler.program import Rule
from ...grammar.ast import OPEN, Bound
from ..kernel.records import QueueEntry


class Landing(NamedTuple):
    """The patches that land at a turn, in order of their making; those that a newer one cancels; the spent."""

    landing: tuple[QueueEntry, ...]
    superseded: tuple[QueueEntry, ...]
    spent: tuple[QueueEntry, ...]


def land(queue: Iterable[QueueEntry], turn: int) -> Landing:
    """What the queue does at ``turn``.

    Of the patches of an element that are due, the newest lands. It cancels older rolls for good. A patch is
    spent at its last turn: a roll lands anew at each of its turns.
    """
    newest: dict[str, QueueEntry] = {}
    superseded: list[QueueEntry] = []
    for patch in sorted(queue, key=lambda p: p.number):
        if patch.at > turn or (patch.last is not None and patch.last < turn):
            continue
        older = newest.get(patch.element)
        if older is not None:
            superseded.append(older)
        newest[patch.element] = patch
    landing = tuple(sorted(newest.values(), key=lambda p: p.number))
    spent = tuple(p for p in landing if p.last == turn)
    return Landing(landing, tuple(superseded), spent)


def patch_rule(patch: QueueEntry, turn: int, element_rule: Rule) -> Rule:
    """The rule of the slot that a patch bears at ``turn``: its own, absolute turns.

    ``none`` takes the end of the element's rule if that is an event, else no end; a roll's slots live one turn.
    """
    start = Bound("turn", turn)
    if patch.mode == "roll":
        return Rule(start, Bound("turn", turn))
    if patch.turns is None:
        return Rule(start, element_rule.end if element_rule.end.is_event else OPEN)
    return Rule(start, Bound("turn", turn + patch.turns - 1))
