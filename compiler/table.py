"""The visibility table: at which turns a slot born at turn k is on stage (design.md section 4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..grammar.ast import Bound
from ..grammar.bounds import show_bound
from .counted import counted
from .facts.lifetimes import ends_by_event
from .program import ElementRow, Program

#: Births shown when nobody says how many, in turns.
DEFAULT_TURNS = 6

_EVENTS = {
    "until_cancelled": "until cancelled",
    "until_superseded": "until superseded",
    "cycle": "until its label says so",
    "labelled": "until its label says so",
}


@dataclass(frozen=True, slots=True)
class Visibility:
    """A slot born at turn ``born``: on stage from turn ``first`` to ``last``, both counted in.

    ``first`` None: never. ``last`` None: without an end that the clock knows; ``until`` then names the event
    or the calls that end it, or is None when nothing does.
    """

    born: int
    first: int | None
    last: int | None
    until: str | None

    def turns(self, limit: int) -> list[int]:
        """The turns up to ``limit`` at which the slot is (or may be, until its event) on stage."""
        if self.first is None:
            return []
        last = limit if self.last is None else min(self.last, limit)
        return list(range(self.first, last + 1))


def visibility(row: ElementRow, born: int) -> Visibility:
    """When a slot of this row is on stage, if it is born at turn ``born`` (0: before the first message)."""
    start, end = row.rule.start, row.rule.end
    first = max(start.n if start.kind == "turn" else born + start.n, born, 1)
    until = _until(row)
    last = None if _stays(row) else _last_turn(end, born)
    if last is not None and last < first:
        return Visibility(born, None, None, None)
    return Visibility(born, first, last, until)


def _last_turn(end: Bound, born: int) -> int | None:
    if end.kind == "turn":
        return end.n
    return born + end.n if end.kind == "born" and end.unit == "turns" else None


def _until(row: ElementRow) -> str | None:
    """What ends the slots of a row besides the clock of turns, in words, and what then becomes of them."""
    end = row.rule.end
    reasons = [_reason(end)]
    if _stays(row) and end.unit == "turns" and end.kind in ("born", "turn"):
        reasons.append("until its turns are over")
    if row.supersede and end.kind != "until_superseded":
        reasons.append(_EVENTS["until_superseded"])
    if row.at_most is not None:
        reasons.append(f"until {counted(row.at_most, 'newer one')} {'is' if row.at_most == 1 else 'are'} there")
    text = " or ".join(reason for reason in reasons if reason)
    heeded = not ends_by_event(end)
    if text and row.keep_last and heeded:
        text += f", but the newest {row.keep_last} stay"
    if text and row.retire != "drop" and (heeded or row.supersede or row.at_most is not None):
        text += ", then a stub" if row.retire == "stub" else ", then a ref"
    return text or None


def _stays(row: ElementRow) -> bool:
    """Whether slots of a row may be on stage after the end of their rule: reduced, or among the newest that stay."""
    return row.retire != "drop" or row.keep_last > 0


def _reason(end: Bound) -> str | None:
    if end.kind == "until_end":
        return f"until {end.element} ends"
    if end.kind == "idle":
        return f"until idle for {counted(end.n, end.unit.removesuffix('s'))}"
    if end.kind == "born" and end.unit == "calls":
        return counted(end.n, "call")
    return _EVENTS.get(end.kind)


def _births(row: ElementRow, turns: int) -> list[int]:
    """The birth turns to show: system slots are born at turn 0, all others from turn 1."""
    return [0] if row.name == "system" else list(range(1, turns + 1))


def table_document(program: Program, turns: int = DEFAULT_TURNS) -> dict[str, Any]:
    """The table as plain data, for ``--format json``."""
    rows = []
    for row in program.elements.values():
        seen = [visibility(row, born) for born in _births(row, turns)]
        rows.append(
            {
                "element": row.name,
                "of": row.of,
                "start": show_bound(row.rule.start),
                "end": show_bound(row.rule.end),
                "born": [{"born": v.born, "turns": v.turns(turns), "until": v.until} for v in seen],
            }
        )
    return {"schema_version": 1, "ruleset": program.name, "turns": turns, "elements": rows}


def table_text(program: Program, turns: int = DEFAULT_TURNS) -> str:
    """The table for people: ``1-6`` is turns 1 to 6, ``1-`` has no end, ``-`` is never."""
    head = ["element", "rule", "ends", *(f"born {turn}" for turn in range(1, turns + 1))]
    lines = [head]
    for row in program.elements.values():
        name = row.name if row.of is None else f"{row.name} (of {row.of})"
        rule = f"[{show_bound(row.rule.start)}, {show_bound(row.rule.end)}]"
        seen = [visibility(row, born) for born in _births(row, turns)]
        lines.append([name, rule, seen[0].until or "", *map(_cell, seen)])
    return _aligned(lines)


def _cell(seen: Visibility) -> str:
    if seen.first is None:
        return "-"
    if seen.last == seen.first:
        return str(seen.first)
    return f"{seen.first}-{'' if seen.last is None else seen.last}"


def _aligned(lines: Sequence[Sequence[str]]) -> str:
    count = max(map(len, lines))
    padded = [[*line, *[""] * (count - len(line))] for line in lines]
    widths = [max(len(line[column]) for line in padded) for column in range(count)]
    rows = ("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) for line in padded)
    return "\n".join(row.rstrip() for row in rows) + "\n"
