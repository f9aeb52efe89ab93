"""One ruleset with longer and shorter lives: what dcc's rules reach at each share of the tokens."""

from __future__ import annotations

import re
from typing import Any

from dcc.compiler.load import load_program
from dcc.compiler.override import override
from dcc.compiler.program import Program

#: The lives of the ruleset that is varied, each by this factor.
FACTORS = (0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.25, 1.6, 2.0)
RULESET = "coding"

_LIFE = re.compile(r"(born|idle)\+(\d+) calls")


def family() -> list[Program]:
    """The ruleset at every factor, in their order."""
    return [load_program(scaled(RULESET, factor)) for factor in FACTORS]


def scaled(ruleset: str, factor: float) -> dict[str, Any]:
    """A ruleset whose bounds in calls and whose ceilings are ``factor`` times as large, at least one each.

    Results of no file, which leave soonest, and settling stay as they are: less would only break more prefixes.
    """
    data = override(ruleset, ("name",), f"{ruleset} x {factor:g}")
    rows = {name: _row(row, factor) for name, row in data["life_cycle"].items()}
    return {**data, "life_cycle": rows}


def _row(row: Any, factor: float) -> Any:
    if not isinstance(row, dict) or "min_tokens" in row:
        return row
    found = _LIFE.fullmatch(row.get("end") or "")
    longer = {**row}
    if found is not None:
        longer["end"] = f"{found[1]}+{_times(int(found[2]), factor)} calls"
    if "at_most" in row:
        longer["at_most"] = _times(row["at_most"], factor)
    return longer


def _times(count: int, factor: float) -> int:
    return max(1, round(count * factor))
