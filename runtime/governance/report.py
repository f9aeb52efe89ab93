"""The budget report: how full the context is, and what could be made smaller (spec/cpat.md section 9)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ...compiler.ops.evaluate import holds
from ...compiler.ops.model import Argument, Op, OpTable
from ..kernel.slots import Slot
from .catalog import Catalog
from .facts import Facts, Reader
from .gauge import Gauge

#: How many of the largest slots are named.
LARGEST = 5

#: Effects that make the context smaller.
_REDUCING = ("represent", "bear", "hold")

#: Arguments that say something, by type: an operation is suggested where only its targets could stand in its way.
_GIVEN: Mapping[str, Any] = {"text": "x", "texts": ("x",), "count": 1, "flag": True}


def report(catalog: Catalog, reader: Reader, gauge: Gauge, table: OpTable, gates: frozenset[str]) -> str:
    """The report as one line of JSON."""
    used = gauge.used
    document = {
        **gauge.budget(used),
        "pressure": gauge.pressure(used),
        "band": gauge.band(used),
        "largest": [
            {"id": slot.id, "tokens": slot.tokens, "suggested_ops": suggested(slot, reader, table, gates)}
            for slot in catalog.largest(LARGEST)
        ],
        "preserve": "requirements; plan and state; open questions; sources",
    }
    return json.dumps(document, ensure_ascii=False)


def short_report(gauge: Gauge) -> str:
    """One line for a context with room in it."""
    used, limits = gauge.used, gauge.limits
    if limits is None:
        return f"[context: {used:,} tokens]"
    return f"[context: {used:,} of {limits.max_context:,} tokens]"


def suggested(slot: Slot, reader: Reader, table: OpTable, gates: frozenset[str]) -> list[str]:
    """The operations that would make a slot smaller and that nothing about it refuses."""
    facts = reader.of(slot)
    return [op.name for op in table.ops.values() if (op.gate is None or op.gate in gates) and _reduces(op, facts)]


def _reduces(op: Op, facts: Facts) -> bool:
    arguments = {a.name: _given(a, facts) for a in op.args}
    targets = [facts]
    acts = any(
        effect.kind in _REDUCING and effect.options.get("how") != "full"
        and (effect.when is None or holds(effect.when, arguments, targets))
        for effect in op.effects
    )  # fmt: skip
    return acts and not any(holds(refusal.when, arguments, targets) for refusal in op.refusals)


def _given(argument: Argument, facts: Facts) -> Any:
    if argument.type in ("slots", "slot"):
        return (facts.id,)
    if argument.type == "word":
        return argument.default or argument.words[0]
    return _GIVEN[argument.type]
