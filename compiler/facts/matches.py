"""Which refinements are never taken, because a later one takes all of their slots (language.md section 2)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from ...grammar.linear import occurs
from ..program import ElementRow, Match

#: A field and a value or pattern by which a later refinement is looked up; None: it has no field with plain values.
_Key = tuple[str, Any] | None

#: Rows of patterns that are tried on the values of an earlier one: more are never near it in a ruleset of people.
MAX_PATTERNS = 100


def untaken(rows: Iterable[ElementRow]) -> frozenset[str]:
    """The names of rows whose rule no slot ever follows: other refinements take their slots, or none can match."""
    known = list(rows)
    all_of = {row.of for row in known if row.of is not None and not row.match}
    bases = all_of | ({"toolResult"} if "chain" in all_of else set())
    hidden = {row.name for row, _ in shadowed(known)}
    return frozenset(hidden | {row.name for row in known if row.name in bases or asks_for_error(row)})


def asks_for_error(row: ElementRow) -> bool:
    """Whether a refinement of calls waits for an error, which only a result can be."""
    return row.of == "toolCall" and any(m.field == "is_error" and False not in m.values for m in row.match)


def shadowed(rows: Iterable[ElementRow]) -> Iterator[tuple[ElementRow, ElementRow]]:
    """Each refinement of ``rows`` (in file order) that a later one hides, with that later one."""
    later: dict[_Key, list[ElementRow]] = {}
    found = []
    for row in reversed([row for row in rows if row.of is not None]):
        hiding = next((wide for wide in _candidates(row, later) if _hides(wide, row)), None)
        if hiding is not None:
            found.append((row, hiding))
        for key in _own_keys(row):
            later.setdefault(key, []).append(row)
    yield from reversed(found)


def _own_keys(row: ElementRow) -> list[_Key]:
    """Where a row is found again: under the values, or the pattern, of the last field that it tests so."""
    tests = [match for match in row.match if match.test != "at_least" and not _always(row, match)]
    plain = [match for match in tests if match.test == "equal"]
    if plain:
        return [(plain[-1].field, _typed(value)) for value in plain[-1].values]
    return [None, *((match.field, _pattern(match)) for match in tests[-1:])]


def _candidates(row: ElementRow, later: dict[_Key, list[ElementRow]]) -> Iterator[ElementRow]:
    for match in row.match:
        if match.test == "equal":
            yield from later.get((match.field, _typed(match.values[0])), ())
        elif match.test == "regex":
            yield from later.get((match.field, _pattern(match)), ())
    yield from islice(reversed(later.get(None, [])), MAX_PATTERNS)


def _hides(wide: ElementRow, narrow: ElementRow) -> bool:
    """Whether ``wide``, the later one, takes every slot that ``narrow`` could take."""
    if (wide.of == "toolCall") != (narrow.of == "toolCall"):
        return False
    fields = {match.field: match for match in narrow.match}
    return all(m.field in fields and implies(fields[m.field], m) for m in wide.match if not _always(wide, m))


def _always(row: ElementRow, match: Match) -> bool:
    """Whether a test holds of every slot that the row is asked about: no call is an error when it is born."""
    return row.of == "toolCall" and match.field == "is_error" and False in match.values


def implies(narrow: Match, wide: Match) -> bool:
    """Whether every value that passes one test of a field passes the other."""
    if wide.test == "at_least":
        return narrow.test == "at_least" and bool(narrow.values[0] >= wide.values[0])
    if wide.test == "regex":
        if narrow.test == "regex":
            return narrow.values == wide.values
        return all(isinstance(value, str) and occurs(wide.values[0], value) for value in narrow.values)
    return narrow.test == "equal" and set(map(_typed, narrow.values)) <= set(map(_typed, wide.values))


def _typed(value: Any) -> tuple[type, Any]:
    """A value that keeps true apart from 1, as matching does."""
    return type(value), value


def _pattern(match: Match) -> tuple[type, Any]:
    """The pattern of a test, apart from a plain value of the same text."""
    return Match, match.values[0]
