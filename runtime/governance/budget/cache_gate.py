"""The cache gate: whether a shorter request is worth the break of the prompt cache (spec/cpat.md section 7). Pure."""

from __future__ import annotations

from typing import Final, NamedTuple


class Prices(NamedTuple):
    """What a prompt token costs that a cache serves, or takes in, in units of one that no cache knows."""

    read: float = 0.1
    write: float = 1.25


#: Anthropic's published prices; with caches that cost nothing to write (OpenAI) a break is cheaper than they say.
PRICES: Final = Prices()


def is_worth_a_break(freed: int, tail: int, remaining: int, hit: float, prices: Prices = PRICES) -> bool:
    """Whether ``freed`` tokens fewer in each of the ``remaining`` calls outweigh re-reading the ``tail`` once.

    ``tail``: tokens behind the first change; ``hit``: the share of the prompt that the cache serves. A context that
    is critical is shortened at any price: this is not asked then.
    """
    return freed * remaining * (1 - hit) > tail * (prices.write - prices.read)
