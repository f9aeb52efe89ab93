"""``recovery`` and ``pruning``: what happens when the window overflows, and before it does."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from .base import AtLeastOne, Count, Listed, Section, Texts, fault, written_as

#: Steps of the overflow ladder that take a number of tries.
LADDER_STEPS = ("compact", "truncate_results")


def _step(value: Any) -> Any:
    if value == "give_up":
        return {"do": "give_up"}
    if isinstance(value, dict) and len(value) == 1:
        ((name, tries),) = value.items()
        if name in LADDER_STEPS:
            return {"do": name, "tries": tries}
    raise fault(
        "wrong-value",
        ": expected a step of the overflow ladder",
        "write {compact: 3}, {truncate_results: 1} or give_up",
    )


_STEP = {
    "anyOf": [
        {"enum": ["give_up"]},
        {
            "type": "object",
            "properties": {name: {"type": "integer", "minimum": 1} for name in LADDER_STEPS},
            "additionalProperties": False,
            "minProperties": 1,
            "maxProperties": 1,
        },
    ]
}


class LadderStep(Section):
    """One step after an overflow: do it, at most ``tries`` times in a run."""

    do: Literal["compact", "truncate_results", "give_up"]
    tries: AtLeastOne = 1


class RecoverySection(Section):
    """The overflow ladder, tried from the first step to the last."""

    overflow: Annotated[tuple[Annotated[LadderStep, BeforeValidator(_step), written_as(_STEP)], ...], Listed] = ()


_DURATION = re.compile(r"\s*[0-9]{1,6}(?:\.[0-9]{1,3})?\s*(?:ms|s|m|h|d)?\s*")


_TTL = {"anyOf": [{"type": "integer", "minimum": 0}, {"type": "string", "pattern": f"^{_DURATION.pattern}$"}]}


def _duration(value: Any) -> Any:
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return f"{value}m"
    if isinstance(value, str) and _DURATION.fullmatch(value):
        return value.strip()
    raise fault("wrong-value", ": expected a length of time", "write for example `ttl: 5m`, 90s or 1h")


Share = Annotated[float, Field(ge=0, le=1)]


class SoftTrim(Section):
    """Results longer than ``max_chars`` keep their first and last characters."""

    max_chars: Count = 4_000
    head_chars: Count = 1_500
    tail_chars: Count = 1_500


class HardClear(Section):
    """Results of old turns give way to a placeholder."""

    enabled: bool = True
    placeholder: str = "[Old tool result content cleared]"


class PrunedTools(Section):
    """Which tools' results may be pruned; ``deny`` wins, an empty ``allow`` is all."""

    allow: Texts = ()
    deny: Texts = ()


class PruningSection(Section):
    """Trimming of old tool results when the provider's cache has gone cold (``ttl``; minutes if bare)."""

    mode: Literal["off", "cache-ttl"] = "off"
    ttl: Annotated[str, BeforeValidator(_duration), written_as(_TTL)] = "5m"
    keep_last_assistants: Count = 3
    soft_trim_ratio: Share = 0.3
    hard_clear_ratio: Share = 0.5
    min_prunable_tool_chars: Count = 50_000
    soft_trim: SoftTrim = Field(default_factory=SoftTrim)
    hard_clear: HardClear = Field(default_factory=HardClear)
    tools: PrunedTools = Field(default_factory=PrunedTools)
