"""``compact``: summaries of old turns, and the elements that a collapse folds."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from .base import AtLeastOne, Count, HostSection, Section, Texts


class Periodic(Section):
    """Compaction by the clock: every ``interval_turns`` (null: never), sparing the last ``keep_recent_turns``."""

    interval_turns: AtLeastOne | None = 20
    keep_recent_turns: Count = 10


Kept = Literal["latest_only", "keep_all", "last_k", "equidistant"]


class Retention(Section):
    """Which summaries stay on stage; ``k`` is read by last_k and equidistant."""

    type: Kept = "latest_only"
    k: AtLeastOne = 3


def _retention(value: Any) -> Any:
    return {"type": value} if isinstance(value, str) else value


class Summary(Section):
    """The compressor that asks a model for a summary: ``{content}`` in the prompt is the transcript."""

    prompt: str | None = None
    periodic: Periodic = Field(default_factory=Periodic)
    retention: Annotated[Retention, BeforeValidator(_retention, json_schema_input_type=Kept | Retention)] = Field(
        default_factory=Retention
    )


class Compressors(HostSection):
    """The compressors by name; dcc carries out ``summary``."""

    summary: Summary | None = None


class CompactSection(Section):
    """``fields``: the elements that compaction and collapse take off stage."""

    fields: Texts = ()
    overload_threshold_bytes: Annotated[int, Field(gt=0)] = 32_000
    compressors: Compressors = Field(default_factory=Compressors)


#: What switches a section off.
Off = Literal["none", False] | None


def off_when_none(value: Any) -> Any:
    """``compact: none`` and ``recall: none`` switch a section off, as in the original."""
    return None if value in ("none", False) else value
