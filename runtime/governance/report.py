"""The budget report: how full the context is, and what could be made smaller (spec/cpat.md section 9)."""

from __future__ import annotations

import json
from typing import Any

from ..kernel.slots import Slot
from .catalog import Catalog
from .gauge import Gauge
from .suggesting import Suggesting

#: How many of the largest slots are named.
LARGEST = 5

#: Tokens from which on something is suggested: a call that names a slot and sums it up costs about as many by itself.
WORTH_A_CALL = 40


def report(catalog: Catalog, gauge: Gauge, suggesting: Suggesting) -> str:
    """The report as one line of JSON."""
    used = gauge.used
    document = {
        **gauge.budget(used),
        "pressure": gauge.pressure(used),
        "band": gauge.band(used),
        "largest": [_row(slot, suggesting) for slot in catalog.largest(LARGEST)],
        "preserve": "requirements; plan and state; open questions; sources",
    }
    return json.dumps(document, ensure_ascii=False)


def _row(slot: Slot, suggesting: Suggesting) -> dict[str, Any]:
    """A slot, and what may be done: to it alone, and, where a call and its result go together, to both."""
    if slot.tokens < WORTH_A_CALL:
        return {"id": slot.id, "tokens": slot.tokens, "suggested_ops": []}
    row: dict[str, Any] = {"id": slot.id, "tokens": slot.tokens, "suggested_ops": suggesting.alone(slot.id)}
    chain, ops = suggesting.chain(slot.id)
    return row | ({"chain": chain, "chain_ops": ops} if ops else {})


def short_report(gauge: Gauge) -> str:
    """One line for a context with room in it."""
    used, limits = gauge.used, gauge.limits
    if limits is None:
        return f"[context: {used:,} tokens]"
    return f"[context: {used:,} of {limits.max_context:,} tokens]"
