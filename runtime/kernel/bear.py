"""Birth: from content and a rule to the slot that the ledger will hold. Pure but for the clock it is told."""

from __future__ import annotations

from ...compiler.program import ElementRow, Rule
from ...grammar.ast import OPEN
from .ledger import Ledger
from .places import Place, at_call, begun, over
from .retirement import outlasts_turns
from .segments import SegmentError, birth_segment, start_place
from .slots import PATCH, Link, Segment, Slot


def bear(
    ledger: Ledger,
    element: str,
    rule: Rule,
    digest: bytes,
    tokens: int,
    row: ElementRow,
    *,
    turn: int,
    phase: int,
    call: int = 0,
    seq: int = 0,
    shown_from: int,
    link: Link | None = None,
    visible_from: Place | None = None,
    compact_range: tuple[int, int] | None = None,
    replaces: Slot | None = None,
) -> tuple[Slot, str | None]:
    """A new slot of a row, and the code of a notice when its rule gives it no time on stage.

    ``shown_from`` is the ordinal of the first request that may hold it. A rule whose end lies before its start
    gives an empty segment, one that was over before the birth a segment in the past: the slot is in the ledger
    and never on stage. A row that offloads, and a result below the row's ``min_tokens``, leave with the slot's
    chain: no turn closes the segment. A slot that ``replaces`` another is on stage for what is left of its segments.
    """
    if replaces is not None:
        left = _left(replaces, turn, shown_from, ledger)
        slot = Slot(
            ledger.next_id(element, turn), element, turn, phase, call, seq, ledger.births + 1, shown_from,
            replaces.rule, left, digest, tokens, replaces.refined, replaces.link, replaces=replaces.id,
        )  # fmt: skip
        return slot, None
    try:
        segment, problem = birth_segment(rule, turn, shown_from, visible_from=visible_from), None
    except SegmentError as error:
        if error.code != "end_before_start":
            raise
        start = start_place(rule.start, turn, shown_from)
        segment, problem = Segment(start, start - 1), error.code
    if segment.end is not None and 0 <= segment.end < turn:
        problem = "over_at_birth"
    if outlasts_turns(row, element, tokens, phase == PATCH and turn > 0):
        segment = Segment(segment.start, None)
    elif problem is not None and segment.start > turn:
        # Empty and over at once, not one to come: nothing is there to end or to fold.
        segment = Segment(max(turn, 1), max(turn, 1) - 1)
    slot = Slot(
        ledger.next_id(element, turn), element, turn, phase, call, seq, ledger.births + 1, shown_from,
        rule, (segment,), digest, tokens, row.name if row.of is not None else None, link,
        compact_range=compact_range,
    )  # fmt: skip
    return slot, problem


def _left(slot: Slot, turn: int, shown_from: int, ledger: Ledger) -> tuple[Segment, ...]:
    """What the request ``shown_from`` and later ones have left of a slot's segments; one that is empty: nothing."""
    now = (ledger.turn if ledger.is_open else ledger.turn + 1, shown_from)
    left = tuple(
        Segment(at_call(shown_from) if begun(start, *now) else start, end)
        for start, end in slot.segments
        if end is None or not over(end, *now)
    )
    return left or (Segment(max(turn, 1), max(turn, 1) - 1),)


def governed(rule: Rule, governor_on_stage: bool) -> Rule:
    """The rule as a slot gets it: ``until_end(x)`` with no x on stage is open (language.md section 2)."""
    if rule.end.kind == "until_end" and not governor_on_stage:
        return Rule(rule.start, OPEN)
    return rule
