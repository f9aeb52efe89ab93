"""Suggesting: which operations would make a slot smaller, as things stand (spec/cpat.md section 9).

A suggestion is one that ``context_update`` takes: whatever may stand in the way of the operation is asked, with
arguments that say something as short as can be.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ...compiler.ops.evaluate import holds
from ...compiler.ops.model import Argument, Op, OpTable
from ...compiler.program import Program
from ..recorder import Recorder
from .checking import passing
from .facts import Facts, Reader
from .wire import Asked

#: Effects that make the context smaller.
_REDUCING = ("represent", "bear", "hold")

#: Arguments that say something, by type.
_GIVEN: Mapping[str, Any] = {"text": "x", "texts": ("x",), "count": 1, "flag": True}


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
        self,
        recorder: Recorder,
        program: Program,
        gates: frozenset[str],
        fits: Callable[[int], str | None],
    ) -> None:
        self._reader = _Knowing(recorder, program)
        table = program.ops or OpTable()
        self._ops = [op for op in table.ops.values() if op.gate is None or op.gate in gates]
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
        tried = [asked for op in self._ops if (asked := _asked(op, ids, targets)) is not None]
        return [asked.op.name for asked in passing(tried, self._reader, self._fits)]


def _asked(op: Op, ids: tuple[str, ...], targets: list[Facts]) -> Asked | None:
    """The operation on these slots; None when it takes no more than one, or would not make them smaller."""
    if len(ids) > 1 and any(argument.type == "slot" for argument in op.args):
        return None
    arguments = {argument.name: _given(argument, ids) for argument in op.args}
    reduces = any(
        effect.kind in _REDUCING and effect.options.get("how") != "full"
        and (effect.when is None or holds(effect.when, arguments, targets))
        for effect in op.effects
    )  # fmt: skip
    return Asked(0, op, arguments, ids) if reduces else None


def _given(argument: Argument, ids: tuple[str, ...]) -> Any:
    if argument.type in ("slots", "slot"):
        return ids
    if argument.type == "word":
        return argument.default or argument.words[0]
    return _GIVEN[argument.type]
