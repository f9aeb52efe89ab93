"""How a reference policy is carried out: what a request holds, and how much of it is the request before.

A policy is a function from the history, a call and what the request before held to what this request holds. It
leaves no orphan result (it cuts at ``History.cuts``), and the message typed last is always there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ...kernel.tokens import count_tokens
from ..calls import Call, Replayed, bits_of
from ..history import History, PastCall


class StandIn(NamedTuple):
    """A message that stands first for all that is gone: which one it is, and its tokens."""

    number: int
    tokens: int


class Held(NamedTuple):
    """What a request holds: a stand-in, the message typed last, and all slots from ``first`` on.

    ``cleared``: the set of results whose content is a placeholder.
    """

    first: int = 0
    stand_in: StandIn | None = None
    cleared: int = 0


Policy = Callable[[History, PastCall, Held], Held]

#: Tokens of what stands for a cleared result.
PLACEHOLDER = count_tokens("[cleared]")

#: A slot or a stand-in as it is rendered, and its tokens. Equal pieces are rendered equally.
_Piece = tuple[int, bool, int]


def carry_out(history: History, name: str, policy: Policy) -> Replayed:
    """The history under a reference policy."""
    calls: list[Call] = []
    held, before = Held(), list[_Piece]()
    verbatim = True
    for call in history.calls:
        held = policy(history, call, held)
        pieces = _pieces(history, call, held)
        born = (1 << call.held) - 1
        shown = born >> held.first << held.first | 1 << call.typed
        full = shown & ~held.cleared
        verbatim = verbatim and not history.users & born & ~full
        calls.append(Call(call.ordinal, call.turn, _tokens(pieces), _tokens(_common(before, pieces)), shown, full))
        before = pieces
    return Replayed(name, tuple(calls), history.ids, verbatim, restorable=not held.cleared)


def tokens_of(history: History, call: PastCall, held: Held) -> int:
    """The tokens of a request that holds ``held``."""
    tokens = history.sums[call.held] - history.sums[held.first]
    if call.typed < held.first:
        tokens += history.slots[call.typed].tokens
    tokens -= sum(history.slots[i].tokens - PLACEHOLDER for i in bits_of(held.cleared >> held.first << held.first))
    return tokens + (held.stand_in.tokens if held.stand_in is not None else 0)


def _pieces(history: History, call: PastCall, held: Held) -> list[_Piece]:
    pieces: list[_Piece] = []
    if held.stand_in is not None:
        pieces.append((-held.stand_in.number, False, held.stand_in.tokens))
    if call.typed < held.first:
        pieces.append((call.typed, False, history.slots[call.typed].tokens))
    cleared = set(bits_of(held.cleared))
    for i in range(held.first, call.held):
        gone = i in cleared
        pieces.append((i, gone, PLACEHOLDER if gone else history.slots[i].tokens))
    return pieces


def _common(before: list[_Piece], now: list[_Piece]) -> list[_Piece]:
    """The leading pieces of both."""
    for i, (a, b) in enumerate(zip(before, now, strict=False)):
        if a != b:
            return now[:i]
    return now[: len(before)]


def _tokens(pieces: list[_Piece]) -> int:
    return sum(tokens for _, _, tokens in pieces)
