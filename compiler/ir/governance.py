"""``governance``: how full the context may be, and which operations a model may use."""

from __future__ import annotations

import re
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from .base import ONE_OR_MORE, Count, Section, Texts, fault, written_as

_PERCENT = re.compile(r"\s*([0-9]{1,3}(?:\.[0-9]{1,6})?)\s*%\s*")


def _limit(value: Any) -> int | float:
    """A limit: tokens (a whole number), or a share (``0.85`` or ``85%``)."""
    if isinstance(value, int) and not isinstance(value, bool) and value > 0:
        return value
    if isinstance(value, str) and (match := _PERCENT.fullmatch(value)):
        value = float(match[1]) / 100
    if isinstance(value, float) and 0 < value <= 1:
        return value
    raise fault(
        "wrong-value",
        ": expected a limit above 0: a share up to 100 %, or a number of tokens",
        "write for example 0.80, 80% or 120000",
    )


_LIMIT = {
    "anyOf": [
        {"type": "number", "exclusiveMinimum": 0},
        {"type": "string", "pattern": r"^\s*[0-9]{1,3}(\.[0-9]{1,6})?\s*%\s*$"},
    ]
}

Limit = Annotated[int | float, BeforeValidator(_limit), written_as(_LIMIT)]


class Bands(Section):
    """Three limits of growing urgency: shares of ``max_context``, or tokens (kernel.md section 4)."""

    soft: Limit = 0.70
    must_act: Limit = 0.80
    critical: Limit = 0.95


def _tokens(value: Any, *, least: int, such: str) -> int:
    """A whole number of tokens; ``such`` says what is meant, for example."""
    if isinstance(value, int) and not isinstance(value, bool) and value >= least:
        return value
    raise fault("wrong-value", f": expected a whole number of tokens, {least} or more", such)


def _window(value: Any) -> int:
    return _tokens(value, least=1, such="write the window of the model, such as 200000, or leave it to the host")


def _reserve(value: Any) -> int:
    return _tokens(value, least=0, such="write what stays free for the answer, such as 16000")


Window = Annotated[int, BeforeValidator(_window), written_as({"type": "integer", "minimum": 1})]
Reserve = Annotated[int, BeforeValidator(_reserve), written_as({"type": "integer", "minimum": 0})]


def _file(value: Any) -> str:
    """The name of a shipped file of operations, or the path of one."""
    if isinstance(value, str) and value.strip():
        return value
    raise fault(
        "wrong-value",
        ": expected a file of operations that ships, the path of one, or a list of them",
        "write `ops: cpat`, or `ops: [cpat, mine.ops]`",
    )


def _files(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else (_file(value),)


OpsFiles = Annotated[
    tuple[Annotated[str, BeforeValidator(_file)], ...], BeforeValidator(_files), written_as(ONE_OR_MORE)
]


class GovernanceSection(Section):
    """``max_context`` is a share of ``window`` or tokens; ``reserve`` tokens stay free for the answer.

    ``sizes`` are the tokens that an element adds in a turn, as far as is known: `dcc check` counts with them.
    """

    window: Window | None = None
    reserve: Reserve | None = None
    max_context: Limit | None = None
    bands: Bands = Field(default_factory=Bands)
    ops: OpsFiles = ()
    gates: Texts = ()
    sizes: dict[str, Count] = Field(default_factory=dict)
