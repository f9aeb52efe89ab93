"""Random transactions in random conversations under every kind of rule, in every format (kernel.md section 6)."""

from __future__ import annotations

from collections import Counter
from functools import cache

import pytest
from random_player import NAMES, PAIRS, Player

SEEDS = range(80)
STEPS = 36


@cache
def played(seed: int) -> Counter[tuple[str, str]]:
    """A whole conversation; what its transactions were answered."""
    player = Player(seed)
    for _ in range(STEPS):
        player.step()
    player.check_all()
    return player.seen


@pytest.mark.parametrize("seed", SEEDS)
def test_a_random_conversation(seed: int) -> None:
    played(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1_000, 1_400))
def test_many_random_conversations(seed: int) -> None:
    played(seed)


def test_every_answer_comes_up() -> None:
    """``pytest -s`` prints how often each operation met each answer."""
    seen = sum((played(seed) for seed in SEEDS), Counter[tuple[str, str]]())
    for op, code in sorted({*seen, *PAIRS}):
        print(f"{op:16} {code:28} {seen[op, code]:6}")
    assert [pair for pair in PAIRS if not seen[pair]] == []
    assert [name for name in NAMES if not seen[name, "applied"]] == []
