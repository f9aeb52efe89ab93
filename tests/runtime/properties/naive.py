"""A second opinion on the stage law, by brute force, for the property tests.

Written from the pages on the kernel and the language, not from the kernel: it is told every act and keeps the
plainest model that can answer what a request holds. It has no segments that are cut and put together again:
what a past call held is written down when the call goes out, so everything else may be a fact of *now* that a
later act changes or takes back.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Self

from spots import Spot, Window, is_within, passed, windows_of

from dcc.compiler.program import Program, Rule
from dcc.grammar.ast import OPEN

PATCH, ENDING, USER, CALL, BETWEEN = 0, 1, 2, 4, 5
AFTER_RESULTS = 10**6
REPLY = ("think", "assistant", "toolCall")


class Seen(NamedTuple):
    """A slot in a request: how it is rendered, and whether it is on stage itself."""

    slot: str
    how: str
    on_stage: bool


@dataclass(eq=False)
class Piece:
    """A slot: what it is for good, and what is true of it now."""

    id: str
    element: str
    turn: int
    place: tuple[int, int, int, int, int]
    first: int
    rule: Rule
    windows: list[Window]
    text: str
    answers: str | None = None
    looped: bool = False
    kept: bool = False
    cancelled: bool = False
    spared: bool = False
    holds: set[str] = field(default_factory=set)
    how: str = "full"
    note: str = ""
    preview: int = 0
    replaces: str | None = None
    undone: bool = False
    purged: bool = False

    @property
    def phase(self) -> int:
        """The second number of its place."""
        return self.place[1]


class Queued(NamedTuple):
    """A content patch that waits for its turn."""

    number: int
    element: str
    text: str
    mode: str
    turns: int | None
    at: int


@dataclass(eq=False)
class Deed:
    """A transaction that can be undone: what it changed, as (kind, subject, …)."""

    changes: list[tuple[Any, ...]]
    undone: bool = False
    final: bool = False

    def touched(self) -> set[str]:
        """The slots, and the rules, that it changed."""
        return {c[1] if isinstance(c[1], str) else c[1].id for c in self.changes}


class Naive:
    """The model of one session: its facts, the law, and what each past call held."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.pieces: dict[str, Piece] = {}
        self.rules: dict[str, Rule] = {}
        self.queue: list[Queued] = []
        self.deeds: list[Deed] = []
        self.turn = 0
        self.call = 0
        self.ordinal = 0
        self.turn_of = [0]
        self.queued = 0
        self.is_open = False
        self.unsaid = False
        self.in_flight = False
        self.calls: list[str] = []
        self.order: list[str] = []
        self.reply_size = 0
        self.held: dict[int, list[Seen]] = {}
        self.saved: Any = None
        self.settled: list[list[str]] = []

    def copy(self) -> Self:
        """The same facts in a model of their own."""
        return copy.deepcopy(self, {id(self.program): self.program, id(self.held): dict(self.held)})

    # The clock

    @property
    def waits(self) -> bool:
        """Whether the call in progress has its reply and not yet all its results."""
        return bool(self.calls)

    @property
    def is_sent(self) -> bool:
        """Whether the request at hand has gone out: what is done now acts from the one after it."""
        return self.in_flight or self.waits

    @property
    def next(self) -> int:
        """The ordinal of the next request that goes out."""
        return self.ordinal + (2 if self.is_sent else 1)

    @property
    def gone(self) -> Spot:
        """The last request that went out; before the first one, turn 0, which has no requests."""
        return ("call", self.next - 1) if self.next > 1 else ("turn", 0)

    def moment(self) -> tuple[int, int]:
        """The turn and the ordinal of one more request of the turn at hand."""
        return (self.turn, self.next)

    def turn_at(self, spot: Spot) -> int:
        """The turn in which a spot lies."""
        return spot[1] if spot[0] == "turn" else self.turn_of[spot[1]] if spot[1] <= self.ordinal else self.turn

    # The law

    def inside(self, piece: Piece, moment: tuple[int, int]) -> bool:
        """Whether the piece's rule wants it there; thinking that called tools stays for its turn."""
        if piece.looped and piece.element == "think" and moment[0] == piece.turn:
            return True
        return any(is_within(w, moment) for w in piece.windows)

    def over(self, piece: Piece, moment: tuple[int, int]) -> bool:
        """Whether all that the piece's rule wanted lies behind."""
        return all(w.last is not None and passed(w.last, moment) for w in piece.windows)

    def on(self, piece: Piece, moment: tuple[int, int]) -> bool:
        """The stage law for one piece."""
        if moment[1] < piece.first or piece.purged or piece.undone:
            return False
        if piece.answers is not None and not self.on(self.pieces[piece.answers], moment):
            return False
        if piece.kept or (piece.element == "user" and piece.turn == moment[0]):
            return True
        return self.inside(piece, moment) and not piece.cancelled and not piece.holds

    def is_answered(self, piece: Piece) -> bool:
        """Whether it is the message of the turn, which stays, in full, while that goes on."""
        return piece.element == "user" and piece.turn == self.turn

    def any_on(self, element: str | None) -> bool:
        """Whether a slot of the element is on stage in the request at hand."""
        return any(p.element == element for p in self.at_hand())

    def at_hand(self) -> list[Piece]:
        """What is on stage in the request at hand, in the order of birth."""
        if self.is_sent:
            sent = {s.slot for s in self.held[self.ordinal + 1] if s.on_stage}
            return [p for p in self.pieces.values() if p.id in sent]
        return [p for p in self.pieces.values() if self.on(p, (self.turn, self.ordinal + 1))]

    def visible(self, ordinal: int) -> list[Seen]:
        """What the request with this ordinal holds, in order: a past one as it went out, or the next."""
        if ordinal in self.held and ordinal < self.next:
            return self.held[ordinal]
        moment = (self.turn, ordinal)
        seen: list[Seen] = []
        for piece in sorted(self.pieces.values(), key=lambda p: p.place):
            if self.on(piece, moment):
                seen.append(Seen(piece.id, shown_as(piece), True))
            elif piece.answers is not None and ordinal >= piece.first and self.on(self.pieces[piece.answers], moment):
                seen.append(Seen(piece.id, "stub", False))
        return seen

    def was_read(self, piece: Piece) -> bool:
        """Whether a request that was answered has held it."""
        return any(s.on_stage and s.slot == piece.id for o in range(1, self.ordinal + 1) for s in self.held[o])

    def due(self) -> list[Piece]:
        """What has been in its count of requests, and nothing spares."""
        return [
            p
            for p in self.pieces.values()
            if p.rule.end.kind == "born"
            and p.rule.end.unit == "calls"
            and self.next >= p.first + p.rule.end.n
            and self.was_read(p)
            and self.on(p, self.moment())
            and any(is_within(w, self.moment()) for w in p.windows)
            and not p.kept
            and not p.spared
        ]

    # Births

    def rule_of(self, element: str) -> Rule:
        """The rule that a slot born now copies."""
        return self.rules.get(element) or self.program.row(element).rule

    def bear(
        self,
        element: str,
        text: str,
        phase: int,
        *,
        call: int = 0,
        seq: int = 0,
        rule: Rule | None = None,
        answers: str | None = None,
        looped: bool = False,
    ) -> Piece:
        """A new slot of the turn at hand. What waits for a newer slot of its element ends."""
        own = rule or self.rule_of(element)
        same = sum(p.element == element and p.turn == self.turn for p in self.pieces.values())
        for old in self.pieces.values():
            if old.element == element and old.rule.end.kind == "until_superseded":
                self._supersede(old, before_call_1=phase in (PATCH, ENDING, USER) and self.turn > 0)
        piece = Piece(
            f"{element}@{self.turn}" + (f".{same + 1}" if same else ""),
            element,
            self.turn,
            (self.turn, phase, call, seq, len(self.pieces) + 1),
            self.next,
            own,
            windows_of(own, self.turn, self.next),
            text,
            answers,
            looped,
        )
        self.pieces[piece.id] = piece
        if phase not in (PATCH, ENDING, USER) or self.turn == 0:
            self.govern(piece)
        return piece

    def govern(self, piece: Piece) -> None:
        """Where nothing of what it waits for is on stage, it waits for nothing."""
        if piece.rule.end.kind == "until_end" and not self.any_on(piece.rule.end.element):
            piece.rule = Rule(piece.rule.start, OPEN)

    def _supersede(self, old: Piece, *, before_call_1: bool) -> None:
        last: Spot = ("turn", self.turn - 1) if before_call_1 else self.gone
        if old.answers is not None and old.first > self.ordinal:
            last = ("call", old.first)
        for window in old.windows:
            window.last = window.last or last


def shown_as(piece: Piece) -> str:
    """How a piece is rendered: a short one stays full, and of a call only the long arguments are replaced."""
    if len(piece.text) < 1000 or piece.how == "full":
        return "full"
    return "ref" if piece.element == "toolCall" else piece.how
