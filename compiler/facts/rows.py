"""The element table of a ruleset that may still have errors."""

from __future__ import annotations

from collections.abc import Mapping

from ..ir.ruleset import Ruleset
from ..lower import lower_row, shipped_rows
from ..match import MatchError
from ..program import ElementRow


def element_table(ruleset: Ruleset) -> Mapping[str, ElementRow]:
    """The rows that ship and those that the ruleset writes; an entry with a bad match is left out."""
    rows = shipped_rows(ruleset)
    for name, entry in ruleset.life_cycle.items():
        try:
            rows[name] = lower_row(name, entry)
        except MatchError:
            rows.pop(name, None)
    return rows
