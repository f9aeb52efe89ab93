"""Refinements: which finer element a slot takes at its birth (language.md section 2). Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ...compiler.program import ElementRow, Match
from ...grammar.linear import occurs


def refine(
    rows: Iterable[ElementRow], base: str, *, tool: str, args: Mapping[str, Any], is_error: bool, tokens: int
) -> ElementRow | None:
    """The last of ``rows`` (refinements in file order) whose every match field holds; None when there is none.

    A result may be taken by a refinement of ``toolResult`` or of its ``chain``; the chain's toolCall follows it.
    """
    facts = _Facts(tool, args, is_error, tokens)
    of = ("toolResult", "chain") if base == "toolResult" else (base,)
    found: ElementRow | None = None
    for row in rows:
        if row.of in of and all(facts.hold(match) for match in row.match):
            found = row
    return found


def argument(args: Mapping[str, Any], field: str) -> Any:
    """The value at ``args.<path>``; None when there is none."""
    value: Any = args
    for name in field.split(".")[1:]:
        if isinstance(value, Mapping):
            value = value.get(name)
        elif isinstance(value, list) and name.isdecimal() and int(name) < len(value):
            value = value[int(name)]
        else:
            return None
    return value


class _Facts:
    """What the match fields of one slot are tested against."""

    def __init__(self, tool: str, args: Mapping[str, Any], is_error: bool, tokens: int) -> None:
        self._tool = tool
        self._args = args
        self._is_error = is_error
        self._tokens = tokens

    def hold(self, match: Match) -> bool:
        """Whether one field holds."""
        value = self._value(match.field)
        if match.test == "at_least":
            return isinstance(value, int) and bool(value >= match.values[0])
        if match.test == "regex":
            return isinstance(value, str) and any(occurs(pattern, value) for pattern in match.values)
        return any(_same(value, wanted) for wanted in match.values)

    def _value(self, field: str) -> Any:
        if field == "tool":
            return self._tool
        if field == "is_error":
            return self._is_error
        if field == "tokens":
            return self._tokens
        return argument(self._args, field)


def _same(value: Any, wanted: Any) -> bool:
    """Equality that keeps true apart from 1."""
    return type(value) is type(wanted) and bool(value == wanted)
