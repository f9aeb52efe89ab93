"""What context systems that clear old tool results could reach: the best evidence at each share of the tokens.

The curve of a recording is the upper hull of the points that ``clear_old_results`` gives over its two settings;
settings between two points of it are reached by using the one in a part of the session and the other in the rest.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from dcc.runtime.replay.calls import Call, Replayed
from dcc.runtime.replay.evidence import Edit, kept_evidence
from dcc.runtime.replay.history import History
from dcc.runtime.replay.policies.clearing import clear_old_results
from dcc.runtime.replay.policies.holding import Held, Policy, tokens_of

#: Tokens of the history above which results are cleared, and how many of the newest stay: every pair is a point.
TRIGGERS = range(0, 150_001, 10_000)
KEEPS = range(0, 61, 2)


class Point(NamedTuple):
    """A share of the tokens of keeping everything, and the share of its evidence that is kept for them."""

    tokens: float
    evidence: float


def clearing_curve(
    history: History, edits: tuple[Edit, ...], triggers: Sequence[int] = TRIGGERS, keeps: Sequence[int] = KEEPS
) -> tuple[Point, ...]:
    """The curve of a recording. ``edits``: its evidence, of which there is some."""
    policies = (clear_old_results(trigger=trigger, keep=keep) for trigger in triggers for keep in keeps)
    return upper_hull(_point(history, edits, policy) for policy in policies)


def upper_hull(points: Iterable[Point]) -> tuple[Point, ...]:
    """The least concave line on or above all points, from the first one up to the first that has most evidence."""
    best: dict[float, float] = {}
    for tokens, evidence in points:
        best[tokens] = max(evidence, best.get(tokens, 0.0))
    hull: list[Point] = []
    for point in (Point(tokens, best[tokens]) for tokens in sorted(best)):
        if hull and point.evidence <= hull[-1].evidence:
            continue
        while len(hull) > 1 and _slope(hull[-2], hull[-1]) <= _slope(hull[-1], point):
            hull.pop()
        hull.append(point)
    return tuple(hull)


def evidence_at(hull: Sequence[Point], tokens: float) -> float | None:
    """The evidence of the line at a share of the tokens; None: it has no point at so few."""
    if tokens < hull[0].tokens:
        return None
    for left, right in pairwise(hull):
        if tokens <= right.tokens:
            return left.evidence + (tokens - left.tokens) * _slope(left, right)
    return hull[-1].evidence


def _slope(left: Point, right: Point) -> float:
    return (right.evidence - left.evidence) / (right.tokens - left.tokens)


def _point(history: History, edits: tuple[Edit, ...], policy: Policy) -> Point:
    """Where a policy lies: as ``carry_out`` would tell, without the prefixes, which cost most of the time."""
    held, calls = Held(), []
    for call in history.calls:
        held = policy(history, call, held)
        shown = (1 << call.held) - 1
        calls.append(Call(call.ordinal, call.turn, tokens_of(history, call, held), 0, shown, shown & ~held.cleared))
    everything = sum(history.sums[call.held] for call in history.calls)
    kept = kept_evidence(edits, history, Replayed("", tuple(calls), history.ids, True, False))
    return Point(sum(call.tokens for call in calls) / everything, kept.kept / kept.counted)
