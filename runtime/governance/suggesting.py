"""Suggesting: which operations would make a slot smaller, as things stand (spec/cpat.md section 9).

A suggestion is one that ``context_update`` takes: whatever may stand in the way of the operation is asked, with
arguments that say something as short as can be.
"""

from __future__ import annotations

from collections.abc import Callable

from ...compiler.program import Program
from ..recorder import Recorder
from .facts import Facts, Reader
from .offers import Offers
from .trying import passing


class _Knowing(Reader):
    """Tells facts as if a request in progress had its reply, and keeps what it has told: many operations ask for it."""

    def __init__(self, recorder: Recorder, program: Program) -> None:
        super().__init__(recorder, program, replied=True)
        self._found: dict[str, Facts | None] = {}

    def find(self, slot_id: str) -> Facts | None:
        """See ``Reader.find``."""
        if slot_id not in self._found:
            self._found[slot_id] = super().find(slot_id)
        return self._found[slot_id]


class Suggesting:
    """Tries operations on slots, for one report: nothing may change meanwhile. ``fits``: see ``checking.check``."""

    def __init__(
        self, recorder: Recorder, program: Program, offers: Offers, fits: Callable[[int], str | None]
    ) -> None:
        self._reader = _Knowing(recorder, program)
        self._offers = offers
        self._fits = fits

    def alone(self, slot_id: str) -> list[str]:
        """The operations that may be applied to a slot alone."""
        return self._of((slot_id,))

    def chain(self, slot_id: str) -> tuple[tuple[str, ...], list[str]]:
        """The chain of a slot, and the operations that may be applied to all of it; empty where there is none."""
        facts = self._reader.find(slot_id)
        ids = self._reader.chain(facts.slot) if facts is not None and facts.slot is not None else ()
        return (ids, self._of(ids)) if len(ids) > 1 else ((), [])

    def _of(self, ids: tuple[str, ...]) -> list[str]:
        targets = [facts for id in ids if (facts := self._reader.find(id)) is not None and facts.is_visible]
        if len(targets) < len(ids):
            return []
        return [asked.op.name for asked in passing(self._offers.on(targets), self._reader, self._fits)]
