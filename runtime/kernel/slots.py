"""Slots: the values that the ledger is made of. Content never changes; only the fields here do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from ...compiler.program import Rule
from .places import Place

Representation = Literal["full", "ref", "stub"]

#: Phases of a position (kernel.md section 1).
PATCH, ENDING, USER, RECALL, CALL, BETWEEN, SUMMARY = 0, 1, 2, 3, 4, 5, 9

#: Seq of what is born behind the results of a call.
AFTER_RESULTS = 1_000_000

#: The elements that one model reply is made of.
REPLY_ELEMENTS = frozenset({"think", "assistant", "toolCall"})

Position = tuple[int, int, int, int, int]


class Segment(NamedTuple):
    """An interval of a slot's rule, both places included; ``end`` None is open."""

    start: Place
    end: Place | None


class Mark(NamedTuple):
    """A named fact about a slot from one place on, until (not including) another: a hold, a keep, a cancel."""

    name: str
    since: Place
    until: Place | None = None


class Shape(NamedTuple):
    """The representation of a slot from a place on.

    A ``ref`` may have a ``note``: the hex digest of a text that stands before its address; a ``preview`` of so many
    characters; and the first so many ``images`` of what it stands for. ``lost``: from where on the note is deleted.
    """

    how: Representation
    since: Place
    note: str | None = None
    preview: int = 0
    images: int = 0
    lost: Place | None = None


class Link(NamedTuple):
    """What ties a slot to a tool call.

    ``wire`` is the call's id as providers see it, unique in the session; ``answers`` is the toolCall slot
    that a result belongs to; ``tool`` its name; ``key`` the normalised value of the slot's declared key. A think
    slot of a reply with tool calls has an empty link.
    """

    wire: str = ""
    tool: str = ""
    answers: str | None = None
    is_error: bool = False
    key: str | None = None


@dataclass(frozen=True, slots=True)
class Marks:
    """What was done to a slot beside its segments; most slots have none.

    ``spared``: the completed calls when an undo brought the slot back; it is not due again until a later touch
    or a new rule reaches it. ``purged``: from where on the slot is off stage for good, its content deleted.
    """

    holds: tuple[Mark, ...] = ()
    keeps: tuple[Mark, ...] = ()
    cancels: tuple[Mark, ...] = ()
    shapes: tuple[Shape, ...] = ()
    spared: int | None = None
    purged: Place | None = None


NO_MARKS = Marks()

#: The representation of a slot that no event gave another.
FULL = Shape("full", 0)


class Slot(NamedTuple):
    """One piece of content of one element.

    ``turn`` is the birth turn, ``call`` the number of the call in that turn it was born in or after (0: before
    the first), ``seq`` its place within it, ``number`` its birth number in the session; ``shown_from`` is the
    ordinal of the first request that may hold it; ``digest`` is the SHA-256 of its content. ``compact_range``: the
    turns, both included, that a summary of compaction stands for; ``replaces``: the slot in whose place it was born.
    """

    id: str
    element: str
    turn: int
    phase: int
    call: int
    seq: int
    number: int
    shown_from: int
    rule: Rule
    segments: tuple[Segment, ...]
    digest: bytes
    tokens: int
    refined: str | None = None
    link: Link | None = None
    marks: Marks | None = None
    compact_range: tuple[int, int] | None = None
    replaces: str | None = None

    @property
    def position(self) -> Position:
        """The only sort key of a request (kernel.md section 1)."""
        return (self.turn, self.phase, self.call, self.seq, self.number)

    @property
    def is_reply(self) -> bool:
        """Whether the slot is a piece of a model reply (rendered inside its message)."""
        return self.phase == CALL and self.element in REPLY_ELEMENTS and (self.element != "toolCall" or self.is_call)

    @property
    def is_call(self) -> bool:
        """Whether the slot is a tool call that a model made; what a person or a host calls so is a text."""
        return self.element == "toolCall" and self.link is not None

    @property
    def is_result(self) -> bool:
        """Whether the slot answers a tool call."""
        return self.link is not None and self.link.answers is not None

    @property
    def row_name(self) -> str:
        """The row of the element table that the slot follows: its refinement, else its element."""
        return self.refined or self.element

    @property
    def waits_for(self) -> str:
        """The event that ends the slot, as the key it waits under."""
        end = self.rule.end
        if end.kind == "until_end":
            return f"end:{end.element}"
        if end.kind == "until_superseded":
            return f"superseded:{self.row_name}"
        return end.kind

    @property
    def is_undone(self) -> bool:
        """Whether an undo took the slot's birth back: it is off stage for good."""
        marks = self.marks
        return marks is not None and any(m.until is None and m.name.startswith("undo:") for m in marks.holds)

    @property
    def is_message(self) -> bool:
        """Whether the slot is the message that began its turn; a summary may stand at the position of one."""
        return self.phase == USER and self.element == "user"

    @property
    def is_purged(self) -> bool:
        """Whether the slot's content was deleted."""
        return self.marks is not None and self.marks.purged is not None

    @property
    def shape(self) -> Shape:
        """The representation that was decided on last: of a request to come, if nothing changes it."""
        marks = self.marks
        return marks.shapes[-1] if marks is not None and marks.shapes else FULL

    @property
    def is_patch(self) -> bool:
        """Whether a content patch bore the slot."""
        return self.phase == PATCH and self.turn > 0


def end_marks(marks: tuple[Mark, ...], until: Place, name: str | None = None) -> tuple[Mark, ...]:
    """The marks with those in force (of a name) ended at ``until``; one that ends where it began is gone."""
    changed: list[Mark] = []
    for mark in marks:
        if mark.until is None and (name is None or mark.name == name):
            if mark.since != until:
                changed.append(mark._replace(until=until))
        else:
            changed.append(mark)
    return tuple(changed)
