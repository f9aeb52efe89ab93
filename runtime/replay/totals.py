"""The figures of one policy over a whole recording (contracts.md, ``dcc replay``)."""

from __future__ import annotations

from dataclasses import dataclass

from .calls import Replayed
from .evidence import Edit, Kept, kept_evidence
from .history import History

#: What a kept prefix token and any other prompt token cost, in units of one uncached token (contracts.md).
KEPT_COST = 0.1
FRESH_COST = 1.25


@dataclass(frozen=True, slots=True)
class Totals:
    """One row of the table.

    Tokens: of all prompts, of the largest (``peak``), of the leading messages equal to the request before
    (``prefix_kept``). Slots: ``hidden`` (left the stage), ``offloaded`` (reduced on stage), ``restored`` (came back
    or became full again), each time counted. ``repeated_reads``: recorded reads of a path whose newest result was
    not in full on stage. ``unread_removed``: results that were not in full in the first request after them.
    """

    name: str
    prompt_tokens: int
    tokens_ratio: float
    peak: int
    prefix_kept: int
    cost: float
    cost_ratio: float
    evidence: Kept
    hidden: int
    offloaded: int
    restored: int
    repeated_reads: int
    user_verbatim: bool
    unread_removed: int
    restorable: bool


def sum_up(replayed: Replayed, measure: Replayed, history: History, edits: tuple[Edit, ...]) -> Totals:
    """The figures of a policy; its ratios are shares of those of ``measure``."""
    hidden, offloaded, restored, unread_removed = _changes(replayed, history)
    reread = zip(history.calls, replayed.calls, strict=True)
    return Totals(
        name=replayed.policy,
        prompt_tokens=_prompt(replayed),
        tokens_ratio=_ratio(_prompt(replayed), _prompt(measure)),
        peak=max((call.tokens for call in replayed.calls), default=0),
        prefix_kept=_kept(replayed),
        cost=cost_of(replayed),
        cost_ratio=_ratio(cost_of(replayed), cost_of(measure)),
        evidence=kept_evidence(edits, history, replayed),
        hidden=hidden,
        offloaded=offloaded,
        restored=restored,
        repeated_reads=sum(not call.full >> slot & 1 for past, call in reread for slot in past.rereads),
        user_verbatim=replayed.user_verbatim,
        unread_removed=unread_removed,
        restorable=replayed.restorable,
    )


def cost_of(replayed: Replayed) -> float:
    """What the prompts cost: a kept prefix 0.1, the rest 1.25."""
    kept = _kept(replayed)
    return KEPT_COST * kept + FRESH_COST * (_prompt(replayed) - kept)


def _prompt(replayed: Replayed) -> int:
    return sum(call.tokens for call in replayed.calls)


def _kept(replayed: Replayed) -> int:
    return sum(call.prefix_kept for call in replayed.calls)


def _changes(replayed: Replayed, history: History) -> tuple[int, int, int, int]:
    """Slots hidden, off-loaded, restored, and results that no request held in full when they were new."""
    hidden = offloaded = restored = unread = 0
    shown = full = ever = held = 0
    for past, call in zip(history.calls, replayed.calls, strict=True):
        new = (1 << past.held) - (1 << held)
        hidden += (shown & ~call.shown).bit_count()
        offloaded += (full & call.shown & ~call.full).bit_count()
        restored += (call.shown & ever & ~shown | call.full & shown & ~full).bit_count()
        unread += (new & history.results & ~call.full).bit_count()
        shown, full, ever, held = call.shown, call.full, ever | call.shown, past.held
    return hidden, offloaded, restored, unread


def _ratio(part: float, whole: float) -> float:
    """A share of the measure; without a call there is nothing to share, and nothing was saved."""
    return round(part / whole, 4) if whole else 1.0
