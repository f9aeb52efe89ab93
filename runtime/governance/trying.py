"""Trying: which of several operations on the same slots would be taken, each as a transaction of its own.

As ``checking.check`` of each would say. What they have in common is asked once: what is said of the targets, and what
comes of steps that are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

from ..kernel.tokens import count_tokens
from .checking import impossible, targets_of
from .effects import plan
from .facts import Reader
from .guards import refused_by_guards
from .offers import Offer
from .postchecks import broken_chains, unfounded
from .staged import Bear, Represent, Staged, Step
from .wire import Asked


def passing(
    offers: Sequence[Offer], reader: Reader, fits: Callable[[int], str | None]
) -> Iterator[Asked]:
    """Those that would be taken, of operations that are offered on the same targets, all of them in view.

    ``fits``: see ``checking.check``.
    """
    staged = Staged(reader)
    problems, targets = targets_of(offers[0].asked, staged, set()) if offers else ([], [])
    changes: dict[int, _Change] = {}
    for asked, number in offers if targets and not problems else ():
        change = changes.get(number)
        if change is not None and not change.is_possible:
            continue
        steps = plan(asked, targets, staged)
        borne = [step for step in steps if isinstance(step, Bear)]
        if change is None:
            others = [step for step in steps if not isinstance(step, Bear)]
            change = changes[number] = _Change(others, staged)
        if change.is_possible and change.passes_guards(asked, steps, borne, fits) and change.is_founded(borne):
            yield asked


class _Change:
    """What comes of some steps, for all operations that take them, whatever they bear besides."""

    def __init__(self, steps: Sequence[Step], staged: Staged) -> None:
        self._steps = steps
        self._staged = staged
        #: What is only rendered otherwise stays where it is: no context is unfit to be sent for that.
        self._stays = all(isinstance(step, Represent) for step in steps)
        self._founded: dict[int, bool] = {0: True} if self._stays else {}
        self.is_possible = not impossible(0, steps, staged) and (self._stays or not broken_chains(self._after))

    def passes_guards(
        self, asked: Asked, steps: Sequence[Step], borne: Sequence[Bear], fits: Callable[[int], str | None]
    ) -> bool:
        """Whether the guards of an operation let it pass."""
        return not refused_by_guards(asked, steps, self._staged, lambda: self._grown(borne), fits)

    def is_founded(self, borne: Sequence[Bear]) -> bool:
        """Whether the context that is left can be sent: it can, or cannot, whatever a summary says."""
        known = self._founded.get(len(borne))
        if known is None:
            after = self._after.after(borne) if borne else self._after
            known = self._founded[len(borne)] = not unfounded(after)
        return known

    def _grown(self, borne: Sequence[Bear]) -> int:
        """By how many tokens the context grows: what is borne comes besides, and is part of no chain."""
        return self._delta + sum([count_tokens(step.content) for step in borne])

    @cached_property
    def _after(self) -> Staged:
        return self._staged.after(self._steps)

    @cached_property
    def _delta(self) -> int:
        return self._after.delta()
