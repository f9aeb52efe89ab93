"""The same histories at every run, to measure what they hold and to look for planted faults."""

from __future__ import annotations

from typing import TypeVar

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.strategies import SearchStrategy

T = TypeVar("T")


def sampled(histories: SearchStrategy[T], seeds: int) -> list[T]:
    """Ten histories from each of so many seeds: those of one run resemble each other."""
    found: list[T] = []
    for number in range(seeds):

        @seed(number)
        @settings(
            max_examples=10,
            database=None,
            deadline=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(histories)
        def collect(history: T) -> None:
            found.append(history)

        collect()
    return found
