"""``life_cycle`` and ``settle``: how long a slot of each element is on stage."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, ConfigDict, Field, PlainValidator, model_validator

from ...grammar.ast import BORN, OPEN, Bound
from ...grammar.bounds import WORDS, BoundError, parse_bound
from ..problem import sure
from .base import AtLeastOne, Count, Section, fault, written_as


def _bound(value: Any) -> Bound:
    try:
        return parse_bound(value)
    except BoundError as error:
        help = error.help or "write for example born, born+3, until_goal_end or null"
        mend = _respelt(value) if isinstance(value, str) else None
        raise fault("bad-bound", error.message, help, error.span, mend=mend) from error


def _respelt(text: str) -> str | None:
    """A bound that the text is a slip of: a word, its case, its unit, the digits of its count."""
    word = sure(text.strip(), WORDS)
    for guess in (text.strip().lower().replace("_", ""), f"{text.strip()}s", word):
        with suppress(BoundError):
            if guess is not None:
                parse_bound(guess)
                return guess
    return None


#: How a bound is written: a turn, nothing, or one of the words of language.md section 2.
_BOUND = {
    "description": "a turn, born, born+n, born+n calls, null, until_cancelled, until_goal_end, until_end(element), "
    "until_superseded, idle+n calls or idle+n turns",
    "anyOf": [
        {"type": "integer", "minimum": 0, "maximum": 999_999},
        {"type": "null"},
        {"enum": [*sorted(WORDS)]},
        {"type": "string", "pattern": r"^\s*(born|idle)\s*\+\s*[0-9]{1,6}(\s+(turns?|calls?))?\s*$"},
        {"type": "string", "pattern": r"^\s*until_end\s*\(.+\)\s*$"},
    ],
}

BoundField = Annotated[Bound, PlainValidator(_bound), written_as(_BOUND)]

#: A value that a ``match`` field may be compared with.
Scalar = str | bool | int | float | None


_SCALAR = {"type": ["string", "boolean", "number", "null"]}
_MATCH = {"anyOf": [_SCALAR, {"type": "array", "items": _SCALAR, "minItems": 1}]}


def _values(value: Any) -> Any:
    values = tuple(value) if isinstance(value, list) else (value,)
    if any(isinstance(one, dict | list) for one in values):
        raise fault(
            "wrong-value",
            ": expected a text, a number, true, false, null, or a list of these",
            "write for example `tool: read` or `tool: [edit, write]`",
        )
    return values


def _or_pair(schema: dict[str, Any]) -> None:
    """An entry is written as a mapping, or as a pair of bounds."""
    mapping = dict(schema)
    schema.clear()
    pair = {"type": "array", "items": _BOUND, "minItems": 2, "maxItems": 2, "description": "[start, end]"}
    schema["anyOf"] = [pair, mapping]


class Entry(Section):
    """One entry of ``life_cycle``. A pair ``[start, end]`` is short for ``{start: …, end: …}``."""

    model_config = ConfigDict(json_schema_extra=_or_pair)

    start: BoundField = BORN
    end: BoundField = OPEN
    of: str | None = None
    match: dict[str, Annotated[tuple[Scalar, ...], BeforeValidator(_values), written_as(_MATCH)]] = Field(
        default_factory=dict
    )
    key: str | None = None
    retire: Literal["drop", "offload", "stub"] = "drop"
    keep_last: Count = 0
    at_most: AtLeastOne | None = None
    supersede: bool = False
    min_tokens: Count = 0

    @model_validator(mode="before")
    @classmethod
    def _from_pair(cls, value: Any) -> Any:
        if isinstance(value, list):
            if len(value) != 2:
                raise fault(
                    "not-a-pair",
                    f"a rule is a pair [start, end], this list has length {len(value)}",
                    "write two bounds, such as [born, null], or a mapping {start: …, end: …}",
                )
            return {"start": value[0], "end": value[1]}
        if not isinstance(value, dict | Entry):
            raise fault(
                "not-a-pair",
                "a rule is a pair [start, end] or a mapping",
                "write [born, null] for a slot that stays on stage",
            )
        return value


LifeCycle = dict[str, Entry]

_CALLS = re.compile(r"\s*([0-9]{1,6})\s+calls?\s*")


_EVERY = {
    "anyOf": [
        {"type": "integer", "minimum": 1},
        {"type": "string", "pattern": r"^\s*[0-9]{1,6}\s+calls?\s*$"},
    ]
}


def _calls(value: Any) -> Any:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, str) and (match := _CALLS.fullmatch(value)):
        return int(match[1])
    raise fault("wrong-value", ": expected a number of calls", "write for example `every: 16 calls`")


class SettleSection(Section):
    """When due retirements are carried out together: after ``every`` calls, from ``min_tokens`` tokens."""

    every: Annotated[AtLeastOne, BeforeValidator(_calls), written_as(_EVERY)] = 1
    min_tokens: Count = 0
